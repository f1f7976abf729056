//! Insertion of unsigned properties into a signature (EN 319 132-1, 4.3.1);
//! every existing byte stays.

use parafa_xml::Insertion;

use crate::names::XADES;
use crate::signature::Signature;

/// Appends properties to the unsigned ones of a signature; `None` if it has no
/// signed properties, next to which they belong.
pub(crate) fn with_properties(signature: Signature<'_>, properties: &str) -> Option<Insertion> {
    let qualifying = signature.qualifying_properties().ok()?;
    let unsigned = qualifying
        .children_named(XADES, "UnsignedProperties")
        .next();
    let Some(unsigned) = unsigned else {
        let text = format!(
            "<xades:UnsignedProperties xmlns:xades=\"{XADES}\">\
             <xades:UnsignedSignatureProperties>{properties}\
             </xades:UnsignedSignatureProperties></xades:UnsignedProperties>"
        );
        let signed = signature.signed_properties().ok()?;
        return Some(Insertion::behind(signed, &text));
    };
    let list = unsigned.children_named(XADES, "UnsignedSignatureProperties");
    if let Some(list) = list.last() {
        return Some(Insertion::at_the_end_of(list, properties));
    }
    let list = format!(
        "<xades:UnsignedSignatureProperties xmlns:xades=\"{XADES}\">{properties}\
         </xades:UnsignedSignatureProperties>"
    );
    // Data object properties must follow it.
    Some(match unsigned.children().next() {
        Some(first) => Insertion::before(first, &list),
        None => Insertion::at_the_end_of(unsigned, &list),
    })
}

#[cfg(test)]
mod tests {
    use parafa_xml::{Document, Limits, inserted};

    use super::*;
    use crate::names::DSIG;

    /// Returns the unsigned properties with one more appended.
    fn with_more(unsigned: &str) -> String {
        let file = format!(
            "<Signature xmlns=\"{DSIG}\"><Object><x:QualifyingProperties xmlns:x=\"{XADES}\">\
             <x:SignedProperties/>{unsigned}</x:QualifyingProperties></Object></Signature>"
        );
        let document = Document::parse(file.as_bytes(), &Limits::default()).unwrap();
        let insertion = with_properties(Signature(document.root()), "<new/>").unwrap();
        let changed = inserted(&file, vec![insertion]);
        let begin = file.find("<x:SignedProperties/>").unwrap() + "<x:SignedProperties/>".len();
        let end = changed.find("</x:QualifyingProperties>").unwrap();
        changed[begin..end].to_owned()
    }

    #[test]
    fn a_property_is_put_behind_those_that_are_there() {
        assert_eq!(
            with_more(
                "<x:UnsignedProperties><x:UnsignedSignatureProperties><a/> </x:UnsignedSignatureProperties ></x:UnsignedProperties>"
            ),
            "<x:UnsignedProperties><x:UnsignedSignatureProperties><a/> <new/></x:UnsignedSignatureProperties ></x:UnsignedProperties>"
        );
        assert_eq!(
            with_more(
                "<x:UnsignedProperties><x:UnsignedSignatureProperties a='b' /></x:UnsignedProperties>"
            ),
            "<x:UnsignedProperties><x:UnsignedSignatureProperties a='b' ><new/></x:UnsignedSignatureProperties></x:UnsignedProperties>"
        );
    }

    #[test]
    fn a_list_for_it_is_made_where_there_is_none() {
        let list = format!(
            "<xades:UnsignedSignatureProperties xmlns:xades=\"{XADES}\"><new/></xades:UnsignedSignatureProperties>"
        );
        assert_eq!(
            with_more("<x:UnsignedProperties/>"),
            format!("<x:UnsignedProperties>{list}</x:UnsignedProperties>")
        );
        assert_eq!(
            with_more(
                "<x:UnsignedProperties><x:UnsignedDataObjectProperties/></x:UnsignedProperties>"
            ),
            format!(
                "<x:UnsignedProperties>{list}<x:UnsignedDataObjectProperties/></x:UnsignedProperties>"
            )
        );
        let whole = with_more("");
        assert!(
            whole.starts_with("<xades:UnsignedProperties xmlns:xades="),
            "{whole}"
        );
        assert!(whole.contains("<new/>"), "{whole}");
    }
}
