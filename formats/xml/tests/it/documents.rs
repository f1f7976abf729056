use parafa_xml::{Document, Error, Limits};

fn parse(xml: &str) -> Document<'_> {
    Document::parse(xml.as_bytes(), &Limits::default()).unwrap()
}

#[test]
fn elements_are_told_apart_by_namespace_and_local_name() {
    let document = parse("<a:x xmlns:a='urn:1' xmlns='urn:2'><y/><a:y/><y/></a:x>");
    let root = document.root();

    assert!(root.is("urn:1", "x") && !root.is("urn:2", "x"));
    assert_eq!(root.qualified_name(), "a:x");
    assert_eq!(root.children_named("urn:2", "y").count(), 2);
    assert!(root.only_child("urn:1", "y").is_some());
    assert!(root.only_child("urn:2", "y").is_none());
    assert_eq!(root.children().last().unwrap().parent(), Some(root));
}

#[test]
fn an_attribute_without_a_prefix_has_no_namespace() {
    let document = parse("<x xmlns='urn:1' xmlns:a='urn:1' a:k='1' k='2'/>");

    assert_eq!(document.root().attribute("k"), Some("2"));
    assert_eq!(document.root().attribute_in(Some("urn:1"), "k"), Some("1"));
}

#[test]
fn text_is_not_cut_by_what_is_no_text() {
    let document = parse("<x>a<!-- b -->c<?d e?><![CDATA[<f>]]>&#103;<y>no</y>h</x>");

    assert_eq!(document.root().text(), "ac<f>gh");
}

#[test]
fn an_element_knows_where_it_stands() {
    let xml = "<x><y a='>'>1</y ><z/></x>";
    let document = parse(xml);
    let texts: Vec<_> = document
        .root()
        .descendants()
        .map(|element| &xml[element.range()])
        .collect();

    assert_eq!(texts, [xml, "<y a='>'>1</y >", "<z/>"]);
    let marked = format!("\u{feff}{xml}");
    let document = parse(&marked);
    assert_eq!(&marked[document.root().range()], xml);
}

#[test]
fn elements_are_found_by_their_identifiers() {
    let document = parse("<x Id='1'><y ID='2'/><z id='3'/></x>");
    let identified = document.identified().unwrap();

    assert_eq!(identified["2"].local_name(), "y");
    assert_eq!(identified.len(), 3);
}

#[test]
fn two_elements_of_one_identifier_are_refused() {
    let document = parse("<x Id='1'><y ID='1'/></x>");

    assert_eq!(
        document.identified().unwrap_err(),
        Error::DuplicateId("1".into())
    );
}

#[test]
fn an_identifier_of_xml_itself_is_one_as_others_are() {
    let text = "<r><a ID='1'/><b xml:id='1'/></r>";
    let document = Document::parse(text.as_bytes(), &Limits::default()).unwrap();

    assert_eq!(
        document.identified().unwrap_err(),
        Error::DuplicateId("1".into())
    );
}
