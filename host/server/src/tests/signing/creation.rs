//! Refused creations of signings, and their errors.

use std::sync::Arc;

use parafa_api_signing::requests::{ContainerFile, CreateSigning, NewContainer, Source};
use parafa_api_signing::{ContainerFormat, Delivery, SigningOrder};
use parafa_fixtures::built;
use parafa_plugin_host::{PluginHost, PluginHostConfig};
use parafa_signing::SigningError;

use crate::tests::support::{
    Posted, Site, TOY, batch, create, party, pdf, read, signing_request, signings, terms,
};

#[tokio::test]
async fn letters_are_not_promised_where_nothing_sends_them() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Email).await;
    let files = deployment.byte_files();
    let host = host.with_doors(|doors| doors.mailer = None);

    let one = host
        .post(signing_request(terms(
            SigningOrder::Parallel,
            Delivery::Email,
        )))
        .await;
    assert!(matches!(one, Err(SigningError::NoMail)));
    let several = host.post_batch(batch()).await;
    assert!(matches!(several, Err(SigningError::NoMail)));
    let id = row.ceremony.id.uuid();
    let signer = party("trecias@example.com");
    let added = host.add_signer(id, signer).await;
    assert!(matches!(added, Err(SigningError::CannotInvite)));

    assert_eq!(deployment.byte_files(), files);
    assert_eq!(signings(&host).await.len(), 1);
    assert_eq!(read(&host, id).await.ceremony.signers.len(), 2);
    create(&host, SigningOrder::Parallel, Delivery::Link).await;
}

#[tokio::test]
async fn a_container_that_nothing_here_makes_is_refused_by_its_format() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let container = NewContainer {
        format: ContainerFormat::Adoc,
        files: vec![ContainerFile {
            pointer: "/container/files/0".to_owned(),
            name: "a.pdf".to_owned(),
            media_type: "application/pdf",
            content: pdf(),
        }],
    };
    let request = CreateSigning {
        source: Source::Container(container),
        terms: terms(SigningOrder::Parallel, Delivery::Link),
    };

    let refused = host.post(request).await;

    match refused {
        Err(SigningError::FileRefused { pointer, .. }) => assert_eq!(pointer, "/container/format"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn nothing_is_opened_that_its_plugin_cannot_sign() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let plugin_host = PluginHost::new(PluginHostConfig::new(built::compiled_plugins()));
    let component = without_signing(&built::plugin(TOY));
    let plugin = Arc::new(plugin_host.unwrap()).admit(component.into()).await;
    site.plugins.install(plugin.unwrap()).unwrap();

    let sound = host.create(Posted::toy("honest"), SigningOrder::Parallel);
    let sound = sound.await;
    let unfit = host.create(Posted::toy("refuse"), SigningOrder::Parallel);
    let unfit = unfit.await;

    assert!(matches!(sound, Err(SigningError::IntakeRefused(_))));
    assert!(matches!(unfit, Err(SigningError::IntakeRefused(_))));
    assert_eq!(deployment.byte_files().len(), 0);
    assert_eq!(deployment.data_keys(), 0);
}

/// Renames the signing interface of the component to a name that the contract
/// does not have.
fn without_signing(component: &[u8]) -> Vec<u8> {
    const NAME: &[u8] = b"parafa:format/signing@";
    const OTHER: &[u8] = b"parafa:format/singing@";

    let mut component = component.to_vec();
    let places: Vec<usize> = component
        .windows(NAME.len())
        .enumerate()
        .filter_map(|(place, window)| (window == NAME).then_some(place))
        .collect();
    assert!(!places.is_empty());
    for place in places {
        component[place..place + OTHER.len()].copy_from_slice(OTHER);
    }
    component
}
