//! Signatures on external documents, and on signatures in them.

use std::fs;

use memchr::memmem;
use parafa_fixtures::tool::samples;

use super::component::{Component, Signer};
use super::judges::Judges;
use super::{changed_for_earlier_signatures, newest_is_sound};
use crate::support::verdicts::verdict;

/// Time limit for one file, in seconds. pyHanko's comparison of revisions grows
/// with the square of their number, and one sample has 25 signatures.
const SECONDS: u32 = 300;
/// Samples with a dangling reference or a decreasing `/Size`. pyHanko's strict
/// reader fails on them as soon as it compares two revisions.
const DEFECTIVE: [&str; 3] = [
    "dss__certified-changes-permitted.pdf",
    "dss__signature-referenced-from-multiple-fields.pdf",
    "pyhanko__minimal-broken-xref-size.pdf",
];
/// A signed file whose `startxref` points to the byte before its section.
/// pyHanko does not find the end of its first revision once there is a second
/// one.
const BEFORE_ITS_SECTION: &str = "signpdf__issue-209-reason-includes-trailer-word.pdf";
/// Text found only in files with both kinds of cross-reference (ISO 32000-2,
/// 7.5.8.4); pyHanko's strict reader accepts no signatures in them.
const HYBRID: &[u8] = b"/XRefStm";

#[tokio::test]
async fn a_signature_leaves_every_earlier_signature_of_a_public_sample_as_it_was() {
    let (Some(samples), Some(judges)) = (samples(), Judges::find()) else {
        return;
    };
    let component = Component::load().await;
    let signer = Signer::p256();
    let table = fs::read_to_string(samples.join("pdf.tsv")).expect("the table of the samples");
    let mut signed = Vec::new();
    for row in table.lines().skip(1) {
        let (name, verdict) = verdict(row);
        let before = fs::read(samples.join("pdf").join(name)).expect("the samples are there");
        match component.sign(&before, &signer).await {
            Ok(after) => signed.push((name, before, after)),
            Err(refusal) => assert!(verdict.starts_with("refuse:"), "{name}: {refusal}"),
        }
    }
    let accepted = |row: &&str| verdict(row).1.starts_with("accept");
    assert_eq!(signed.len(), table.lines().skip(1).filter(accepted).count());

    let files: Vec<_> = signed
        .iter()
        .flat_map(|(name, before, after)| {
            [
                judges.file(&format!("before-{name}"), before),
                judges.file(&format!("after-{name}"), after),
            ]
        })
        .collect();
    let verdicts = judges.pyhanko(&files, SECONDS);

    let mut wrong = Vec::new();
    for (index, (name, before, after)) in signed.iter().enumerate() {
        let [before_file, after_file] = [&files[2 * index], &files[2 * index + 1]];
        let [then, now] = [&verdicts[2 * index], &verdicts[2 * index + 1]];
        let mut about = |what: String| wrong.push(format!("{name}: {what}"));
        if judges.qpdf(after_file) > judges.qpdf(before_file) {
            about("qpdf finds more to complain about".to_owned());
        }
        if let Err(said) = Judges::openssl(after, before.len()) {
            about(format!("openssl: {said}"));
        }
        if then.bounded || now.bounded {
            about(format!("pyHanko takes more than {SECONDS} s"));
            continue;
        }
        if now.lenient && !DEFECTIVE.contains(name) && memmem::find(before, HYBRID).is_none() {
            about("pyHanko's strict reader does not take it any more".to_owned());
        }
        if !newest_is_sound(now) {
            about(format!("the new signature does not pass: {now:?}"));
        }
        if *name != BEFORE_ITS_SECTION {
            changed_for_earlier_signatures(then, now)
                .into_iter()
                .for_each(about);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
