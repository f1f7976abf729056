//! Unsigned properties that are put into a signature (EN 319 132-1, 4.3.1);
//! every byte that was there stays.

use parafa_xml::Element;

use crate::names::XADES;
use crate::signature::Signature;

/// A text that goes into another one.
#[derive(Clone, Debug)]
pub(crate) struct Insertion {
    range: std::ops::Range<usize>,
    text: String,
}

/// The text with all insertions.
pub(crate) fn inserted(text: &str, mut insertions: Vec<Insertion>) -> String {
    insertions.sort_by_key(|insertion| insertion.range.start);
    let mut result = String::new();
    let mut done = 0;
    for insertion in insertions {
        result.push_str(&text[done..insertion.range.start]);
        result.push_str(&insertion.text);
        done = insertion.range.end;
    }
    result.push_str(&text[done..]);
    result
}

/// Puts properties behind the unsigned ones that a signature has; `None` when it
/// has no signed ones, which they stand beside.
pub(crate) fn with_properties(signature: Signature<'_>, properties: &str) -> Option<Insertion> {
    let qualifying = signature.qualifying_properties().ok()?;
    let unsigned = qualifying
        .children_named(XADES, "UnsignedProperties")
        .next();
    let Some(unsigned) = unsigned else {
        let end = signature.signed_properties().ok()?.range().end;
        return Some(Insertion {
            range: end..end,
            text: format!(
                "<xades:UnsignedProperties xmlns:xades=\"{XADES}\">\
                 <xades:UnsignedSignatureProperties>{properties}\
                 </xades:UnsignedSignatureProperties></xades:UnsignedProperties>"
            ),
        });
    };
    let list = unsigned.children_named(XADES, "UnsignedSignatureProperties");
    if let Some(list) = list.last() {
        return Some(at_the_end_of(list, properties));
    }
    let list = format!(
        "<xades:UnsignedSignatureProperties xmlns:xades=\"{XADES}\">{properties}\
         </xades:UnsignedSignatureProperties>"
    );
    // Properties of data objects stand behind it.
    match unsigned.children().next() {
        Some(first) => {
            let start = first.range().start;
            Some(Insertion {
                range: start..start,
                text: list,
            })
        }
        None => Some(at_the_end_of(unsigned, &list)),
    }
}

/// Puts a text before the end tag of an element, which an empty one may not have.
fn at_the_end_of(element: Element<'_>, text: &str) -> Insertion {
    let range = element.range();
    let written = &element.document().source()[range.clone()];
    match (written.strip_suffix("/>"), written.rfind("</")) {
        (Some(_), _) | (None, None) => Insertion {
            range: range.end - "/>".len()..range.end,
            text: format!(">{text}</{}>", element.qualified_name()),
        },
        (None, Some(end_tag)) => {
            let at = range.start + end_tag;
            Insertion {
                range: at..at,
                text: text.to_owned(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use parafa_xml::{Document, Limits};

    use super::*;
    use crate::names::DSIG;

    /// What becomes of unsigned properties, written so, when one more is added.
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
