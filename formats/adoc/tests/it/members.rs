use parafa_format_adoc::{extract, members};
use parafa_format_core::{
    Environment, Member, MemberRole, MemoryBlob, MemorySink, NativeEnvironment, Part, refusal,
};

use crate::ceremony::{P256, composed, files, signed_by};

const DOCUMENT: &str = "metadata/signableMetadata0.xml#document_0";
const AUTHOR: &str = "metadata/signableMetadata0.xml#author_0";

fn told(document: &[u8]) -> Vec<Member> {
    members(&NativeEnvironment, &MemoryBlob(document.to_vec())).unwrap()
}

fn extracted(document: &[u8], id: &str) -> Vec<u8> {
    let mut sink = MemorySink::default();
    let document = MemoryBlob(document.to_vec());
    extract(&NativeEnvironment, &document, id, &mut sink).unwrap();
    sink.0
}

#[test]
fn a_signer_is_shown_every_file_and_what_is_said_of_them() {
    let document = composed(&files()).unwrap();
    let told = told(&document);

    let [main, budget, leaves, about, author] = told.as_slice() else {
        panic!("{told:?}");
    };
    for (member, (_, media_type, bytes)) in [main, budget, leaves].into_iter().zip(files()) {
        assert_eq!(member.media_type, media_type);
        assert_eq!(extracted(&document, &member.id), bytes);
    }
    assert_eq!(main.name, files()[0].0);
    assert_eq!(budget.name, format!("appendices/{}", files()[1].0));
    let roles = [main, budget, leaves, about].map(|member| member.role);
    assert_eq!(roles[0], MemberRole::Main);
    assert_eq!(roles[1..3], [MemberRole::Attachment; 2]);
    assert_eq!(roles[3], MemberRole::Metadata);
    assert_eq!([&about.id, &author.id], [DOCUMENT, AUTHOR]);
    assert_eq!(
        String::from_utf8(extracted(&document, AUTHOR)).unwrap(),
        "<sig:author xmlns:sig=\"http://www.archyvai.lt/adoc/2008/metadata/signable\" ID=\"author_0\">\
         <sig:name>UAB Ąžuolas</sig:name><sig:individual>false</sig:individual></sig:author>"
    );
}

#[test]
fn sizes_and_digests_are_those_of_what_is_extracted() {
    let document = composed(&files()).unwrap();
    for member in told(&document) {
        let bytes = extracted(&document, &member.id);
        assert_eq!(member.size, bytes.len() as u64);
        let digest = NativeEnvironment.digest(member.digest.algorithm, &[Part::Bytes(&bytes)]);
        assert_eq!(member.digest.value, digest);
    }
}

#[test]
fn a_signature_adds_nothing_that_the_next_signer_has_to_sign() {
    let document = composed(&files()).unwrap();
    assert_eq!(told(&signed_by(&[&P256])), told(&document));
}

#[test]
fn what_is_no_part_of_the_document_is_not_taken_out() {
    let document = MemoryBlob(signed_by(&[&P256]));
    for id in [
        "mimetype",
        "META-INF/relations.xml",
        "metadata/signableMetadata0.xml",
        "metadata/signableMetadata1.xml#signature_1",
        "",
    ] {
        let mut sink = MemorySink::default();
        let refused = extract(&NativeEnvironment, &document, id, &mut sink);
        assert_eq!(refused.unwrap_err().code, refusal::NO_SUCH_MEMBER, "{id}");
    }
}
