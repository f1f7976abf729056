//! Whom a component has to be signed by, when it is installed and afterwards.

use std::fs;
use std::path::Path;
use std::slice;

use futures::future::join_all;
use parafa_store::StoreMode;

use super::{FORMAT, Place, called, digest, listed};
use crate::shelf::{KeyPair, Shelf, ShelfError, signature_file};

#[tokio::test]
async fn outside_the_demo_a_signature_is_looked_at_each_time() {
    let (place, shelf, publisher) = with_a_publisher().await;
    let component = place.offer_signed(1, &publisher);
    shelf.install(&component, false).await.unwrap();
    assert_eq!(called(&place.started().await).await, Some(digest(1)));

    let signature = signature_file(&place.component(digest(1)));
    let stranger = KeyPair::generate().unwrap().sign(digest(1)).unwrap();
    let own = fs::read(&signature).unwrap();
    fs::write(&signature, serde_json::to_vec(&stranger).unwrap()).unwrap();
    let shelf = place.started().await;
    assert_eq!(called(&shelf).await, None);
    let broken = listed(&shelf, digest(1)).await.broken.unwrap();
    assert!(broken.contains("is not trusted"), "{broken}");

    fs::remove_file(&signature).unwrap();
    let shelf = place.started().await;
    assert_eq!(called(&shelf).await, None);
    let broken = listed(&shelf, digest(1)).await.broken.unwrap();
    assert!(broken.contains("install it again with its"), "{broken}");
    fs::write(&signature, own).unwrap();
    assert_eq!(called(&place.started().await).await, Some(digest(1)));
}

#[tokio::test]
async fn a_publisher_is_trusted_for_the_formats_that_were_named() {
    let place = Place::new(StoreMode::Production);
    let shelf = place.started().await;
    let publisher = KeyPair::generate().unwrap();
    place.trust(&shelf, &publisher, &["saskaita"]).await;
    let component = place.offer_signed(1, &publisher);

    let refused = shelf.install(&component, false).await.unwrap_err();

    assert!(refused.to_string().contains("but not for toy"), "{refused}");
    place.trust(&shelf, &publisher, &[FORMAT]).await;
    let installed = shelf.install(&component, false).await.unwrap();
    assert_eq!(
        installed.publisher.as_deref(),
        Some(publisher.public().name())
    );
}

#[tokio::test]
async fn another_publisher_takes_a_plugin_over_only_when_that_is_said() {
    let place = Place::new(StoreMode::Production);
    let shelf = place.started().await;
    let [first, second] = [(); 2].map(|()| KeyPair::generate().unwrap());
    for publisher in [&first, &second] {
        place.trust(&shelf, publisher, &[]).await;
    }
    let component = place.offer_signed(1, &first);
    shelf.install(&component, false).await.unwrap();
    shelf.rollback(FORMAT, false).await.unwrap();
    let component = place.offer_signed(2, &second);

    let refused = shelf.install(&component, false).await.unwrap_err();

    assert!(
        matches!(refused, ShelfError::OtherPublisher { .. }),
        "{refused}"
    );
    shelf.install(&component, true).await.unwrap();
    let component = place.offer_signed(3, &second);
    shelf.install(&component, false).await.unwrap();
    assert_eq!(called(&shelf).await, Some(digest(3)));
}

#[tokio::test]
async fn what_a_publisher_has_signed_is_disabled_with_the_trust_in_it() {
    let (place, shelf, publisher) = with_a_publisher().await;
    let component = place.offer_signed(1, &publisher);
    shelf.install(&component, false).await.unwrap();
    let name = publisher.public().name();

    let untrusted = shelf.untrust(name).await.unwrap();

    assert_eq!(untrusted.disabled[0].sha256, digest(1).to_string());
    assert_eq!(called(&shelf).await, None);
    let refused = shelf.install(&component, false).await.unwrap_err();
    assert!(matches!(refused, ShelfError::UntrustedPublisher { .. }));
    let again = shelf.untrust(name).await.unwrap_err();
    assert!(matches!(again, ShelfError::UnknownPublisher(_)));
    shelf.rollback(FORMAT, false).await.unwrap();
    assert_eq!(called(&shelf).await, Some(digest(0)));
}

#[tokio::test]
async fn a_component_whose_publisher_lost_its_trust_meanwhile_is_not_installed() {
    let (place, shelf, publisher) = with_a_publisher().await;
    let component = place.offer_signed(1, &publisher);
    let tested = shelf.0.test(&component).await.unwrap();
    shelf.untrust(publisher.public().name()).await.unwrap();

    let refused = shelf.0.install(tested, false).await.unwrap_err();

    assert!(
        matches!(refused, ShelfError::UntrustedPublisher { .. }),
        "{refused}"
    );
    assert_eq!(called(&shelf).await, Some(digest(0)));
}

#[tokio::test]
async fn what_a_publisher_has_signed_is_disabled_also_when_its_key_is_gone() {
    let (place, shelf, publisher) = with_a_publisher().await;
    let component = place.offer_signed(1, &publisher);
    shelf.install(&component, false).await.unwrap();
    let name = publisher.public().name();
    fs::remove_file(place.path(&format!("data/plugins/trusted/{name}.pub"))).unwrap();

    let untrusted = shelf.untrust(name).await.unwrap();

    assert_eq!(untrusted.disabled[0].sha256, digest(1).to_string());
    assert_eq!(called(&shelf).await, None);
}

#[tokio::test]
async fn a_publisher_is_trusted_no_more_in_whichever_files_its_key_is() {
    let (place, shelf, publisher) = with_a_publisher().await;
    let pem = publisher.public().to_pem().unwrap();
    for name in ["by-hand.pub", "again.pub"] {
        fs::write(place.path("data/plugins/trusted").join(name), &pem).unwrap();
    }
    let component = place.offer_signed(1, &publisher);

    shelf.untrust(publisher.public().name()).await.unwrap();

    let refused = shelf.install(&component, false).await.unwrap_err();
    assert!(matches!(refused, ShelfError::UntrustedPublisher { .. }));
    let left = fs::read_dir(place.path("data/plugins/trusted")).unwrap();
    assert_eq!(left.count(), 0);
}

#[tokio::test]
async fn trusting_for_more_is_not_held_back_by_another_file_of_the_key() {
    let place = Place::new(StoreMode::Production);
    let shelf = place.started().await;
    let publisher = KeyPair::generate().unwrap();
    place.trust(&shelf, &publisher, &["saskaita"]).await;
    let trusted = place.path("data/plugins/trusted");
    let own = trusted.join(format!("{}.pub", publisher.public().name()));
    fs::rename(own, trusted.join("by-hand.pub")).unwrap();

    place.trust(&shelf, &publisher, &[FORMAT]).await;

    let component = place.offer_signed(1, &publisher);
    shelf.install(&component, false).await.unwrap();
}

#[tokio::test]
async fn what_is_trusted_for_by_commands_at_once_adds_up() {
    let place = Place::new(StoreMode::Production);
    let (shelf, publisher) = (place.shelf(), KeyPair::generate().unwrap());
    let key = place.key_file(&publisher);
    let formats: Vec<String> = (0..16)
        .map(|number| format!("format-{number:02}"))
        .collect();

    let ids = formats.iter().map(slice::from_ref);
    for trusted in join_all(ids.map(|id| shelf.trust(&key, id))).await {
        trusted.unwrap();
    }

    let again = shelf.trust(&key, &formats[..1]).await.unwrap();
    assert_eq!(again.formats, Some(formats));
}

#[tokio::test]
async fn trust_that_is_withdrawn_while_it_is_widened_is_not_there_again() {
    let place = Place::new(StoreMode::Production);
    let shelf = place.started().await;
    for _ in 0..16 {
        let publisher = KeyPair::generate().unwrap();
        let key = place.key_file(&publisher);
        let [before, more, later] = ["before", "more", "later"].map(|id| [id.to_owned()]);
        shelf.trust(&key, &before).await.unwrap();

        let widened = shelf.trust(&key, &more);
        let withdrawn = shelf.untrust(publisher.public().name());
        let (widened, withdrawn) = tokio::join!(widened, withdrawn);

        widened.unwrap();
        withdrawn.unwrap();
        let left = shelf.trust(&key, &later).await.unwrap().formats.unwrap();
        assert!(!left.contains(&before[0]), "{left:?}");
    }
}

#[tokio::test]
async fn the_demo_takes_no_bad_signature() {
    let place = Place::demo();
    let shelf = place.started().await;
    let publisher = KeyPair::generate().unwrap();
    place.trust(&shelf, &publisher, &[]).await;
    let signed = place.offer_signed(1, &publisher);
    let other = place.offer(2);
    fs::copy(signature_file(&signed), signature_file(&other)).unwrap();

    let refused = shelf.install(&other, false).await.unwrap_err();

    assert!(
        matches!(refused, ShelfError::BadSignature { .. }),
        "{refused}"
    );
    assert_eq!(called(&shelf).await, Some(digest(0)));
}

#[tokio::test]
async fn outside_the_demo_an_unknown_plugin_of_the_program_is_told_of() {
    let warnings = async |place: &Place| place.shelf().findings().await.unwrap().warnings;
    let place = Place::new(StoreMode::Production);
    let unvouched = warnings(&place).await;
    assert!(unvouched[0].contains("not built along"), "{unvouched:?}");

    let publisher = KeyPair::generate().unwrap();
    place.trust(&place.shelf(), &publisher, &[FORMAT]).await;
    let signed = place.offer_signed(0, &publisher);
    let beside = signature_file(Path::new("program/toy.wasm"));
    fs::copy(
        signature_file(&signed),
        place.path(beside.to_str().unwrap()),
    )
    .unwrap();

    assert_eq!(warnings(&place).await, [""; 0]);
    assert_eq!(warnings(&Place::demo()).await, [""; 0]);
}

/// A shelf outside the demo that trusts a publisher, of every format.
async fn with_a_publisher() -> (Place, Shelf, KeyPair) {
    let place = Place::new(StoreMode::Production);
    let shelf = place.started().await;
    let publisher = KeyPair::generate().unwrap();
    place.trust(&shelf, &publisher, &[]).await;
    (place, shelf, publisher)
}
