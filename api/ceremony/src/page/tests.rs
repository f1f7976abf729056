use super::*;
use crate::SubjectNotice;
use crate::colour::Colour;
use crate::face::{Face, LogoSize};

fn page(language: Language, earlier_signatures: &EarlierSignatures) -> String {
    page_with(vec![SigningMethod::SmartId], language, earlier_signatures)
}

fn page_with(
    methods: Vec<SigningMethod>,
    language: Language,
    earlier_signatures: &EarlierSignatures,
) -> String {
    rendered(&content(methods, earlier_signatures), language)
}

fn content(methods: Vec<SigningMethod>, earlier_signatures: &EarlierSignatures) -> PageContent {
    PageContent {
        face: Face {
            registered_name: "<b>Tenant</b>".to_owned(),
            ..Face::default()
        },
        title: "<script>alert(1)</script>".to_owned(),
        document_name: "\"><img>.pdf".to_owned(),
        document_mime_type: PDF.to_owned(),
        document_sha256: "00".to_owned(),
        expires_at: "2026-03-15T09:00:00Z".parse().unwrap(),
        methods,
        sandbox: false,
        has_scripts: false,
        earlier_signatures: earlier_signatures.clone(),
        members: PageMembers::DocumentItself,
        subject_notice: None,
        copy_until: None,
    }
}

fn rendered(content: &PageContent, language: Language) -> String {
    let page = CeremonyPage {
        token: "t",
        language,
        content,
        is_open: true,
    };
    page.render().into_string()
}

fn signature(signer: Option<&str>, verdict: SignatureVerdict) -> EarlierSignature {
    EarlierSignature {
        signer: signer.map(str::to_owned),
        claimed_at: signer.map(|_| "2026-03-11T09:00:00Z".parse().unwrap()),
        level: "PAdES-B-T".to_owned(),
        verdict,
    }
}

fn known(signatures: Vec<EarlierSignature>) -> EarlierSignatures {
    EarlierSignatures::Known {
        signatures,
        more: 0,
    }
}

#[test]
fn each_method_has_its_tile_and_what_it_needs_and_the_usual_one_is_chosen() {
    let all = vec![
        SigningMethod::Nfc,
        SigningMethod::SmartId,
        SigningMethod::MobileId,
    ];
    let none = known(Vec::new());
    for (language, card) in [
        (Language::En, "ID card over NFC"),
        (Language::Lt, "Asmens tapatybės kortelė (NFC)"),
    ] {
        let html = page_with(all.clone(), language, &none);
        for shown in [
            "value=\"smart_id\" checked",
            "value=\"nfc\"><label for=\"method-nfc\">",
            "id=\"phone-number\"",
            "id=\"personal-code\"",
            card,
        ] {
            assert!(html.contains(shown), "{shown}: {html}");
        }
    }
    let card_alone = page_with(vec![SigningMethod::Nfc], Language::En, &none);
    assert!(!card_alone.contains("id=\"personal-code\""));
    assert!(card_alone.contains("value=\"nfc\" checked"));
}

#[test]
fn a_workspace_with_a_face_asks_in_its_name_and_keeps_the_registered_one_visible() {
    let mut content = content(Vec::new(), &known(Vec::new()));
    let plain = rendered(&content, Language::En);
    assert!(!plain.contains("face.css") && !plain.contains("logo.png"));
    assert!(!plain.contains("Registered name"));

    content.face.display_name = Some("Ąžuolas <i>".to_owned());
    content.face.accent = Some(Colour([0, 0, 255]));
    content.face.logo = Some(LogoSize::of_pixels(480, 144));
    let html = rendered(&content, Language::En);

    for shown in [
        "<strong>Ąžuolas &lt;i&gt;</strong> asks you to sign:",
        "Registered name: <bdi>&lt;b&gt;Tenant&lt;/b&gt;</bdi>",
        "<link rel=\"stylesheet\" href=\"/c/t/face.css\">",
        "<img src=\"/c/t/logo.png\" alt=\"\" width=\"160\" height=\"48\">",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    assert!(!html.contains("style=\""));
}

#[test]
fn the_page_of_a_copy_says_how_long_it_is_there() {
    let mut content = content(Vec::new(), &known(Vec::new()));
    content.copy_until = Some("2026-03-20T09:00:00Z".parse().unwrap());

    let html = rendered(&content, Language::En);

    assert!(
        html.contains("until 20 March 2026, 11:00 (Vilnius time)"),
        "{html}"
    );
    assert!(!html.contains("15 March 2026") && !html.contains("30 minutes"));
}

#[test]
fn what_a_caller_wrote_is_shown_as_text() {
    let html = page(
        Language::En,
        &known(vec![signature(Some("<img>"), SignatureVerdict::Intact)]),
    );

    assert!(html.contains("&lt;script&gt;alert(1)"));
    assert!(!html.contains("<script>alert"));
    assert!(!html.contains("<img>"));
}

#[test]
fn a_document_with_scripts_is_said_to_have_them() {
    let plain = content(vec![SigningMethod::SmartId], &known(Vec::new()));
    let scripted = PageContent {
        has_scripts: true,
        ..plain.clone()
    };
    for (language, told) in [
        (
            Language::En,
            "The document contains JavaScript. It does not",
        ),
        (Language::Lt, "Dokumente yra „JavaScript“ programų. Čia jos"),
    ] {
        assert!(rendered(&scripted, language).contains(told));
        assert!(!rendered(&plain, language).contains(told));
    }
}

#[test]
fn signatures_that_are_there_are_listed_in_what_is_called_advisory() {
    let earlier_signatures = known(vec![
        signature(Some("PAVARDENIS,VARDENIS"), SignatureVerdict::Intact),
        signature(None, SignatureVerdict::NotIntact),
        signature(Some("OTHER"), SignatureVerdict::Uncheckable),
    ]);
    let english = page(Language::En, &earlier_signatures);
    let lithuanian = page(Language::Lt, &earlier_signatures);

    for shown in [
        "already in the document: advisory check",
        "<strong><bdi>PAVARDENIS,VARDENIS</bdi></strong>: intact; \
         claimed time 11 March 2026, 11:00 (Vilnius time); level <bdi>PAdES-B-T</bdi>",
        "<strong><bdi>Signer not named</bdi></strong>: not intact; no time given; \
         level <bdi>PAdES-B-T</bdi>",
        "<strong><bdi>OTHER</bdi></strong>: cannot be checked here; ",
    ] {
        assert!(english.contains(shown), "{shown}: {english}");
    }
    assert!(lithuanian.contains("informacinis patikrinimas"));
    assert!(lithuanian.contains("VARDENIS</bdi></strong>: nepažeistas"));
    assert!(lithuanian.contains("OTHER</bdi></strong>: čia patikrinti negalima"));
}

#[test]
fn whoever_is_compared_with_a_register_is_told_of_their_data_and_offered_one_country() {
    let everybody = content(vec![SigningMethod::SmartId], &known(Vec::new()));
    let subject = PageContent {
        subject_notice: Some(SubjectNotice {
            lt: "Duomenų valdytojas\nJūsų teisės".to_owned(),
            en: "Controller\nYour rights".to_owned(),
        }),
        ..everybody.clone()
    };
    for (language, told) in [
        (Language::Lt, ["Duomenų valdytojas", "Jūsų teisės"]),
        (Language::En, ["Controller", "Your rights"]),
    ] {
        let page = rendered(&subject, language);
        for paragraph in told {
            assert!(
                page.contains(&format!("<p class=\"hint\">{paragraph}</p>")),
                "{page}"
            );
        }
        assert!(
            !page.contains("value=\"EE\"") && !page.contains("<select"),
            "{page}"
        );
        assert!(page.contains("name=\"country\" value=\"LT\""), "{page}");
        let page = rendered(&everybody, language);
        assert!(
            page.contains("value=\"EE\"") && !page.contains("subject-notice"),
            "{page}"
        );
    }
}

#[test]
fn signatures_that_were_not_looked_at_are_told_of_and_none_are_not() {
    let unknown = page(Language::En, &EarlierSignatures::Unknown);
    let none = page(Language::En, &known(Vec::new()));

    assert!(unknown.contains("could not be checked now"));
    assert!(unknown.contains("advisory"));
    assert!(!none.contains("advisory"));
}
