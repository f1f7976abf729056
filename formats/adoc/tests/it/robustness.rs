use std::sync::LazyLock;

use proptest::prelude::*;

use crate::ceremony::{P256, composed, inspected, pdf, signed_by, xlsx};

static SIGNED: LazyLock<Vec<u8>> = LazyLock::new(|| signed_by(&[&P256]));

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_composed_is_taken_and_can_be_signed(
        main in "\\PC{1,12}",
        appendices in prop::collection::btree_set("\\PC{1,12}", 0..4),
    ) {
        let appendices = appendices.iter().map(|name| xlsx(&format!("{name}.xlsx")));
        let files: Vec<_> = [pdf(&format!("{main}.pdf"))].into_iter().chain(appendices).collect();
        let Ok(document) = composed(&files) else {
            return Ok(());
        };
        prop_assert!(inspected(&document).is_ok());
        let (signed, _) = P256.signs(&document).unwrap();
        prop_assert_eq!(inspected(&signed).unwrap().obstacles, vec![]);
    }

    #[test]
    fn a_damaged_document_is_told_of_and_breaks_nothing(
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut document = SIGNED.clone();
        let place = place.index(document.len());
        document[place] = byte;
        if let Ok(report) = inspected(&document) {
            prop_assert!(report.signatures.len() <= 1);
        }
    }
}
