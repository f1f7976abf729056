//! Actions of a document.

use parafa_fixtures::PdfBuilder;

use super::{inspected, notes, references, refused, table, with_catalog};

#[test]
fn scripts_and_links_to_other_documents_are_noted() {
    assert_eq!(
        notes(&with_catalog(
            "/OpenAction << /S /JavaScript /JS (app.beep) >>"
        )),
        ["javascript"]
    );
    assert_eq!(
        notes(&with_catalog(
            "/OpenAction << /S /Rendition /JS (app.beep) >>"
        )),
        ["javascript"]
    );
    assert_eq!(
        notes(&with_catalog(
            "/OpenAction << /S /GoToR /F (a.pdf) /D [0 /Fit] >>"
        )),
        ["remote-goto"]
    );
}

#[test]
fn scripts_are_noted_wherever_they_stand() {
    let script = "<< /S /JavaScript /JS (app.alert) >>";
    let event = format!("/AA << /O {script} >>");
    let next = format!("<< /S /GoTo /D [5 0 R /Fit] /Next [{script}] >>");
    let stream = "<< /S /JavaScript /JS 9 0 R >>";
    for catalog in [
        format!("/OpenAction {script}"),
        format!("/OpenAction {stream}"),
        format!("/OpenAction {next}"),
        format!("/AA << /WC {script} >>"),
        format!("/Names << /JavaScript << /Names [(a) {script}] >> >>"),
        format!("/Outlines << /First << /Title (a) /A {script} >> >>"),
    ] {
        assert_eq!(notes(&with_catalog(&catalog)), ["javascript"], "{catalog}");
    }
    for entries in [
        event.clone(),
        format!("/Annots [<< /Subtype /Link /Rect [0 0 9 9] /A {script} >>]"),
        format!("/Annots [<< /Subtype /Link /Rect [0 0 9 9] {event} >>]"),
    ] {
        let mut objects = PdfBuilder::new().objects();
        objects.set(
            5,
            format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] {entries} >>"),
        );
        assert_eq!(notes(&table(&objects)), ["javascript"], "{entries}");
    }
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R] >> >>",
    );
    objects.set(7, format!("<< /T (a) /FT /Tx /AA << /K {script} >> >>"));
    assert_eq!(notes(&table(&objects)), ["javascript"]);
    let drawing = |script: &str| {
        let mut objects = PdfBuilder::new().objects();
        objects.set(7, format!("<< /Subtype /U3D /OnInstantiate {script} >>"));
        notes(&table(&objects))
    };
    assert_eq!(drawing("8 0 R"), [""; 0]);
    assert_eq!(drawing("(host.util)"), ["javascript"]);
}

#[test]
fn what_an_action_does_may_be_said_elsewhere() {
    let acting = |catalog: &str, does: &str| {
        let mut objects = PdfBuilder::new().objects();
        objects.set(1, format!("<< /Type /Catalog /Pages 2 0 R {catalog} >>"));
        objects.set(8, "9 0 R");
        objects.set(9, does);
        table(&objects)
    };
    let launch = "/OpenAction << /S 9 0 R /F (a.exe) >>";
    let submit = "/AA << /WS << /S 8 0 R /F (https://example.com/) >> >>";
    let script = "/OpenAction << /S 8 0 R /JS (app.beep) >>";

    assert_eq!(refused(&acting(launch, "/Launch")), "launch-action");
    assert_eq!(refused(&acting(submit, "/SubmitForm")), "auto-submit");
    assert_eq!(notes(&acting(script, "/J#61vaScript")), ["javascript"]);
    assert_eq!(notes(&acting(script, "/GoToR")), ["remote-goto"]);
    assert_eq!(notes(&acting(launch, "/Named")), [""; 0]);
}

#[test]
fn an_element_of_the_structure_may_have_the_name_of_an_action() {
    let with_element = |element: &str| {
        let mut objects = PdfBuilder::new().objects();
        objects.set(1, "<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 8 0 R >>");
        objects.set(8, "<< /Type /StructTreeRoot /K [9 0 R] >>");
        objects.set(9, format!("<< /S /Launch {element} >>"));
        table(&objects)
    };

    for element in [
        "/Type /StructElem",
        "/Type /StructElem /P 8 0 R",
        "/P 8 0 R /K 0",
    ] {
        assert_eq!(notes(&with_element(element)), [""; 0], "{element}");
    }
    for action in [
        "/F (a.exe)",
        "/Type /StructElem /P 8 0 R /Win << /F (a.exe) >>",
    ] {
        assert_eq!(notes(&with_element(action)), ["launch"], "{action}");
    }
}

#[test]
fn scripts_with_names_run_on_opening() {
    let with_script = |action: &str| {
        let names = format!("<< /Kids [<< /Names [(a) << {action} >>] >>] >>");
        with_catalog(&format!("/Names << /JavaScript {names} >>"))
    };

    assert_eq!(
        notes(&with_script("/S /JavaScript /JS (app.beep)")),
        ["javascript"]
    );
    let next = "/S /JavaScript /Next << /S /Launch /F (a.exe) >>";
    assert_eq!(refused(&with_script(next)), "launch-action");
    assert_eq!(refused(&with_script("/S /SubmitForm")), "auto-submit");
}

#[test]
fn a_form_may_be_sent_by_a_button_but_not_by_a_page() {
    let mut objects = PdfBuilder::new().objects();
    let action = "<< /S /SubmitForm /F (https://example.com/) >>";
    objects.set(7, format!("<< /Subtype /Widget /AA << /U {action} >> >>"));
    assert_eq!(notes(&table(&objects)), [""; 0]);

    objects.set(
        7,
        format!("<< /Subtype /Widget /AA << /PO << /S /Named /Next [{action}] >> >> >>"),
    );
    assert_eq!(refused(&table(&objects)), "auto-submit");
}

#[test]
fn actions_that_lead_to_one_list_in_many_ways_are_followed_once() {
    const REFERENCES: u32 = 20_000;

    let mut objects = PdfBuilder::new().objects();
    let first = objects.next_number();
    let list = references(first + 1..=first + REFERENCES);
    objects.set(
        1,
        format!("<< /Type /Catalog /Pages 2 0 R /OpenAction {first} 0 R >>"),
    );
    objects.set(first, format!("[{list}]"));
    for number in 1..=REFERENCES {
        objects.set(first + number, format!("{first} 0 R"));
    }

    assert!(inspected(&table(&objects)).is_ok());
}

#[test]
fn events_that_many_dictionaries_share_are_looked_at_once() {
    const TIMES: usize = 20_000;

    let mut objects = PdfBuilder::new().objects();
    let events = objects.next_number();
    let sharing = format!("<< /AA {events} 0 R >> ").repeat(TIMES);
    objects.set(
        5,
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /PieceInfo [{sharing}] >>"),
    );
    let entries: String = (0..TIMES).map(|event| format!("/E{event} 0 ")).collect();
    objects.set(events, format!("<< {entries} >>"));

    assert!(inspected(&table(&objects)).is_ok());
}
