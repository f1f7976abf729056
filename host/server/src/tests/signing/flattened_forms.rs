//! Forms whose fields are drawn into the page before signing.

use bytes::Bytes;
use parafa_api_signing::requests::{CreateSigning, DocumentBytes, NewDocument, NewFile, Source};
use parafa_api_signing::{Delivery, DocumentFamily, FileToken, SigningOrder};
use parafa_ceremony::records::CeremonyRow;
use parafa_plugin_host::Refusal;
use parafa_signing::{IntakeFault, SigningError};

use crate::tests::support::{Host, Site, document, signings, terms};

#[tokio::test]
async fn a_form_is_flattened_before_it_is_stored() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let inline = DocumentBytes::Content(toy("hello"));
    let stored = DocumentBytes::FileToken(store(&host, toy("hello")).await);
    for bytes in [inline, stored] {
        let created = create(&host, bytes).await.unwrap();

        let version = created.newest().unwrap();
        let key = host.app.records.data_key(created.data_key).await.unwrap();
        let bytes = host
            .app
            .records
            .files
            .read(&key, version.bytes_id)
            .await
            .unwrap();
        assert_eq!(bytes, "FLAT honest 5\nhello");
    }
}

#[tokio::test]
async fn fields_that_cannot_be_drawn_are_named_and_nothing_is_created() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let file = store(&host, toy("why?")).await;
    for bytes in [
        DocumentBytes::Content(toy("why?")),
        DocumentBytes::FileToken(file),
    ] {
        let refused = create(&host, bytes).await;

        let Err(SigningError::IntakeRefused(faults)) = refused else {
            panic!("ended otherwise")
        };
        let [IntakeFault::Refused(refused)] = &faults[..] else {
            panic!("another fault: {faults:?}")
        };
        let Refusal { code, subjects, .. } = &refused.refusal;
        assert_eq!(code, "flatten-refused");
        assert_eq!(subjects[..], ["body: it has a question mark"]);
    }
    assert_eq!(signings(&host).await.len(), 0);
    assert_eq!(deployment.byte_files().len(), 1, "the stored file");
}

fn toy(body: &str) -> Bytes {
    format!("TOY honest {}\n{body}", body.len()).into()
}

async fn store(host: &Host, content: Bytes) -> FileToken {
    let file = NewFile {
        name: "a.toy".to_owned(),
        family: DocumentFamily::Further,
        content,
    };
    let stored = host.store_file(file).await;
    stored.unwrap().row.id.into()
}

/// Creates a signing of a toy document to be flattened.
async fn create(host: &Host, bytes: DocumentBytes) -> Result<CeremonyRow, SigningError> {
    let request = CreateSigning {
        source: Source::Document(NewDocument {
            family: DocumentFamily::Further,
            bytes,
            flatten: true,
            ..document("a.toy")
        }),
        terms: terms(SigningOrder::Parallel, Delivery::Link),
    };
    let created = host.post(request).await;
    created.map(|opened| opened.row)
}
