use parafa_fixtures::{LARGE, PdfBuilder, WidgetPage};
use parafa_plugin_host::{CallError, CallLimits, CoverageKind, Integrity, Refusal, TargetLevel};

use crate::support::{Signer, component, derive_request, done, host, plugin};

#[tokio::test]
async fn two_people_sign_a_pdf_one_after_the_other() {
    let pdf = plugin("pdf.wasm").await;
    let (ona, jonas) = (Signer::named("Ona"), Signer::named("Jonas"));
    let document = bytes::Bytes::from(parafa_fixtures::plain(2));

    let request = ona.request(TargetLevel::BB);
    let first = done(
        pdf.drive_sign(document.clone(), &request, Vec::new(), &ona)
            .await
            .unwrap(),
    );
    let request = jonas.request(TargetLevel::BB);
    let second = done(
        pdf.drive_sign(first.bytes.clone(), &request, Vec::new(), &jonas)
            .await
            .unwrap(),
    );

    assert!(first.bytes.starts_with(&document));
    assert!(second.bytes.starts_with(&first.bytes));
    assert_eq!(second.outcome.level, "PAdES-B-B");
    assert_eq!(second.signature.coverage.kind, CoverageKind::EntireFile);
    assert_eq!(second.earlier.len(), 1);
    assert_eq!(second.earlier[0].integrity, Integrity::Intact);
    let report = pdf.inspect(second.bytes).await.unwrap();
    assert_eq!(report.media_type, "application/pdf");
    let signers: Vec<_> = report
        .signatures
        .into_iter()
        .filter_map(|signature| signature.signer)
        .collect();
    assert_eq!(signers, ["Ona", "Jonas"]);
}

#[tokio::test]
async fn what_is_no_pdf_is_refused() {
    let pdf = plugin("pdf.wasm").await;

    let refused = pdf
        .inspect(bytes::Bytes::from("plain text"))
        .await
        .unwrap_err();

    assert!(matches!(refused, CallError::Refused(Refusal { code, .. }) if code == "not-a-pdf"));
}

#[tokio::test]
async fn fields_are_named_in_full_however_long_their_names_are() {
    let pdf = plugin("pdf.wasm").await;
    let names = ["a", "b"].map(|name| format!("{}{name}", "form.".repeat(1000)));
    let widgets = names
        .each_ref()
        .map(|name| format!("/FT /Tx /T ({name}) /V (Ona)"));
    let document = WidgetPage::of(&widgets.each_ref().map(String::as_str)).build();

    let refused = pdf
        .flatten(bytes::Bytes::from(document), &derive_request())
        .await;

    let Err(CallError::Refused(refusal)) = refused else {
        panic!("ended otherwise")
    };
    assert_eq!(refusal.code, "flatten-refused");
    assert_eq!(
        refusal.subjects,
        names.map(|name| format!("{name}: no-appearance"))
    );
}

#[tokio::test]
async fn a_large_pdf_is_signed_within_three_times_its_length() {
    let limits = CallLimits {
        memory_bytes: 3 * LARGE,
        ..CallLimits::default()
    };
    let pdf = host(limits).admit(component("pdf.wasm")).await.unwrap();
    let ona = Signer::named("Ona");
    let document = bytes::Bytes::from(PdfBuilder::new().build_of_size(LARGE));

    pdf.inspect(document.clone()).await.unwrap();
    let signed = pdf
        .drive_sign(document, &ona.request(TargetLevel::BB), Vec::new(), &ona)
        .await;

    assert_eq!(done(signed.unwrap()).outcome.level, "PAdES-B-B");
}
