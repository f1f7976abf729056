use std::sync::LazyLock;

use openssl::nid::Nid;
use parafa_format_core::{DigestAlgorithm, Integrity, NativeEnvironment, SignatureAlgorithm};
use parafa_xades::Verifier;
use parafa_xml::{Document, Limits};
use proptest::prelude::*;

use crate::container::Container;
use crate::making::{container, signature_file, verified};
use crate::pki::{Pki, ec_key};

static SIGNED: LazyLock<String> = LazyLock::new(|| {
    let pki = Pki::new();
    let signer = pki.signer("Ona Signer", ec_key(Nid::X9_62_PRIME256V1));
    let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);
    let [_, stamped] = signature_file(&pki, &signer, algorithm);
    stamped
});

proptest! {
    #[test]
    fn no_change_of_a_signature_goes_unseen_or_makes_it_panic(
        index in any::<prop::sample::Index>(),
        byte in prop::sample::select(b"<>/\"'=&;#:. aS0Z-".as_slice()),
    ) {
        let mut bytes = SIGNED.clone().into_bytes();
        let at = index.index(bytes.len());
        bytes[at] = byte;
        let empty = Container::read(container(&[])).unwrap();
        let verifier = Verifier::new(&NativeEnvironment, &empty);
        let Ok(document) = Document::parse(&bytes, &Limits::default()) else {
            return Ok(());
        };
        let sound = verified(&SIGNED);
        for one in verifier.verify(&document).unwrap_or_default() {
            if one.integrity == Integrity::Intact {
                prop_assert_eq!(&one.signed_info, &sound.signed_info);
                prop_assert_eq!(&one.covers, &sound.covers);
                prop_assert_eq!(one.claimed_time, sound.claimed_time);
                prop_assert_eq!(&one.signer_certificate, &sound.signer_certificate);
            }
        }
    }

    #[test]
    fn a_part_that_is_missing_makes_nothing_panic(
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
    ) {
        let tags: Vec<usize> = SIGNED.match_indices('<').map(|(at, _)| at).collect();
        let (from, to) = (tags[from.index(tags.len())], tags[to.index(tags.len())]);
        let cut = [&SIGNED[..from.min(to)], &SIGNED[from.max(to)..]].concat();
        let empty = Container::read(container(&[])).unwrap();
        if let Ok(document) = Document::parse(cut.as_bytes(), &Limits::default()) {
            let _ = Verifier::new(&NativeEnvironment, &empty).verify(&document);
        }
    }
}
