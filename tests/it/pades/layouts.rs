//! All versions and layouts of files, and many signatures on one file.

use parafa_fixtures::{CrossReference, LineEnding, PdfBuilder};

use super::component::{Component, Signer};
use super::judges::{Judges, Structure};
use super::newest_is_sound;

/// Time limit for one file, in seconds.
const SECONDS: u32 = 60;
const VERSIONS: [&str; 5] = ["1.4", "1.5", "1.6", "1.7", "2.0"];
const LAYOUTS: [CrossReference; 3] = CrossReference::ALL;
const LINE_ENDINGS: [LineEnding; 3] = [
    LineEnding::CarriageReturn,
    LineEnding::CarriageReturnLineFeed,
    LineEnding::LineFeed,
];
/// Number of successive signatures, as in the longest known real document.
const MANY: usize = 25;
/// Time limit for one such file, in seconds.
const MANY_SECONDS: u32 = 300;

#[tokio::test]
async fn every_version_and_layout_is_signed_twice_and_the_referees_agree() {
    let Some(judges) = Judges::find() else { return };
    let component = Component::load().await;
    let signer = Signer::p256();
    let mut signed = Vec::new();
    for (name, layout, document) in documents() {
        let once = component.sign(&document, &signer).await;
        let once = once.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        let twice = component.sign(&once, &signer).await;
        let twice = twice.unwrap_or_else(|refusal| panic!("{name}, signed: {refusal}"));
        signed.push((judges.file(&name, &twice), layout, once.len(), twice));
    }

    let files: Vec<_> = signed.iter().map(|(file, ..)| file.clone()).collect();
    let mut wrong = Vec::new();
    for ((file, layout, first_len, twice), verdict) in
        signed.iter().zip(judges.pyhanko(&files, SECONDS))
    {
        let mut about = |what: String| wrong.push(format!("{}: {what}", file.display()));
        let all_pass = verdict
            .signatures
            .iter()
            .all(|signature| signature.passes() && signature.docmdp_ok == Some(true));
        let as_strict_as_may_be = verdict.lenient == (*layout == CrossReference::Hybrid);
        if verdict.signatures.len() != 2
            || !all_pass
            || !newest_is_sound(&verdict)
            || !as_strict_as_may_be
        {
            about(format!("{verdict:?}"));
        }
        if let Err(said) = Judges::openssl(twice, *first_len) {
            about(format!("openssl: {said}"));
        }
        if judges.qpdf(file) != Structure::SOUND {
            about("qpdf complains".to_owned());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn many_signatures_in_a_row_all_pass() {
    let Some(judges) = Judges::find() else { return };
    let component = Component::load().await;
    let signer = Signer::p256();
    for layout in [CrossReference::Table, CrossReference::Stream] {
        let mut document = PdfBuilder::new().cross_reference(layout).build();
        for _ in 0..MANY {
            let len = document.len();
            document = component.sign(&document, &signer).await.unwrap();
            assert_eq!(Judges::openssl(&document, len), Ok(()));
        }
        let file = judges.file(&format!("many-{layout:?}.pdf"), &document);
        let [verdict] = &judges.pyhanko(&[file], MANY_SECONDS)[..] else {
            panic!("one verdict")
        };
        assert_eq!(verdict.signatures.len(), MANY);
        for signature in &verdict.signatures {
            assert_eq!(
                signature.indication.as_deref(),
                Some("PASSED"),
                "{signature:?}"
            );
            assert_eq!(signature.docmdp_ok, Some(true), "{signature:?}");
        }
    }
}

fn documents() -> impl Iterator<Item = (String, CrossReference, Vec<u8>)> {
    VERSIONS.into_iter().flat_map(|version| {
        LAYOUTS.into_iter().flat_map(move |layout| {
            let build = move |line_ending| {
                PdfBuilder::new()
                    .version(version)
                    .cross_reference(layout)
                    .line_ending(line_ending)
                    .text_field("Vardas", "Jonas")
                    .build()
            };
            let ended =
                LINE_ENDINGS.map(|line_ending| (format!("{line_ending:?}"), build(line_ending)));
            let unended = build(LineEnding::LineFeed).trim_ascii_end().to_vec();
            ended
                .into_iter()
                .chain([("no-last".to_owned(), unended)])
                .map(move |(name, document)| {
                    (format!("{version}-{layout:?}-{name}.pdf"), layout, document)
                })
        })
    })
}
