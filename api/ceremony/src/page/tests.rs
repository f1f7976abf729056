use super::*;
use crate::SubjectNotice;
use crate::colour::Colour;
use crate::face::{Face, LogoSize};
use crate::progress::{OtherSigners, Party, Progress};
use crate::vocabulary::SignerStatus;

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
        wanted_by: None,
        expires_at: "2026-03-15T09:00:00Z".parse().unwrap(),
        methods,
        sandbox: false,
        has_scripts: false,
        earlier_signatures: earlier_signatures.clone(),
        members: PageMembers::DocumentItself,
        subject_notice: None,
        copy_until: None,
        progress: Progress::default(),
    }
}

fn rendered(content: &PageContent, language: Language) -> String {
    rendered_for(content, language, content.copy_until.is_none())
}

fn rendered_for(content: &PageContent, language: Language, is_open: bool) -> String {
    let app = CardApp {
        name: "Skaitytuvas".to_owned(),
        url_ios: None,
        url_android: None,
    };
    rendered_with(content, language, is_open, Some(&app))
}

fn rendered_with(
    content: &PageContent,
    language: Language,
    is_open: bool,
    card_app: Option<&CardApp>,
) -> String {
    let page = CeremonyPage {
        token: "t",
        language,
        content,
        card_app,
        is_open,
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
        (Language::En, "ID card (NFC)"),
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
    let ordered = page_with(all, Language::En, &none);
    let places = ["smart_id", "mobile_id", "nfc"]
        .map(|method| ordered.find(&format!("id=\"method-{method}\"")));
    assert!(places.iter().all(Option::is_some) && places.is_sorted());
    let card_alone = page_with(vec![SigningMethod::Nfc], Language::En, &none);
    assert!(!card_alone.contains("id=\"personal-code\""));
    assert!(card_alone.contains("value=\"nfc\" checked"));
}

#[test]
fn words_about_a_code_suit_a_phone_and_a_computer() {
    let both = content(
        vec![SigningMethod::Nfc, SigningMethod::SmartId],
        &known(Vec::new()),
    );
    for (language, touch, mouse) in [
        (
            Language::En,
            [
                "Open Smart-ID on this device",
                "Open the Skaitytuvas app on this device",
            ],
            [
                "Scan this code with the Smart-ID app",
                "Open the Skaitytuvas app on your phone",
            ],
        ),
        (
            Language::Lt,
            [
                "Atverti Smart-ID šiame įrenginyje",
                "Atverti programėlę „Skaitytuvas“",
            ],
            [
                "Nuskaitykite šį kodą savo telefono",
                "Telefone atverkite programėlę „Skaitytuvas“",
            ],
        ),
    ] {
        let html = rendered(&both, language);
        for (class, words) in [("with-touch", touch), ("with-mouse", mouse)] {
            let begin = format!("<p class=\"{class}\">");
            for word in words {
                let mut paragraphs = html.split(&begin).skip(1);
                let is_there = paragraphs.any(|rest| {
                    rest.split("</p>")
                        .next()
                        .is_some_and(|text| text.contains(word))
                });
                assert!(is_there, "{class}, {word}: {html}");
            }
        }
    }
}

#[test]
fn a_card_that_no_app_reads_is_not_offered() {
    let both = content(
        vec![SigningMethod::Nfc, SigningMethod::SmartId],
        &known(Vec::new()),
    );
    let with_app = rendered(&both, Language::En);
    assert!(with_app.contains("method-nfc") && with_app.contains("id=\"pairing-code\""));

    let without = rendered_with(&both, Language::En, true, None);

    assert!(without.contains("method-smart_id"), "{without}");
    assert!(!without.contains("method-nfc"), "{without}");
    assert!(!without.contains("id=\"card\"") && !without.contains("pairing-code"));
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
fn the_date_that_is_wished_for_is_shown_before_the_deadline() {
    let mut content = content(Vec::new(), &known(Vec::new()));
    let plain = rendered(&content, Language::En);
    assert!(plain.contains("Sign by <strong>15 March 2026"), "{plain}");
    content.wanted_by = Some("2026-03-13T09:00:00Z".parse().unwrap());

    for (language, wanted, last) in [
        (
            Language::En,
            "Please sign by <strong>13 March",
            "You can sign until <strong>15 March",
        ),
        (
            Language::Lt,
            "Prašoma pasirašyti iki <strong>2026\u{a0}m. kovo 13",
            "Pasirašyti galima iki <strong>2026\u{a0}m. kovo 15",
        ),
    ] {
        let html = rendered(&content, language);
        let [wanted, last] = [wanted, last].map(|part| html.find(part));
        assert!(wanted.is_some() && wanted < last, "{html}");
    }
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
fn whoever_has_signed_reads_what_comes_next_and_nothing_about_signing() {
    let mut content = content(
        vec![SigningMethod::SmartId],
        &known(vec![signature(Some("ONA"), SignatureVerdict::Intact)]),
    );
    for (others, is_copy_mailed, lithuanian, english) in [
        (
            OtherSigners::StillSign,
            true,
            "Dokumentą dar turi pasirašyti kiti. Kai pasirašys visi, dokumentą gausite el.\u{a0}paštu.",
            "Others still have to sign. Once everyone has signed, you will get the document by email.",
        ),
        (
            OtherSigners::HaveSigned,
            false,
            "<p>Siuntėjas mato, kad pasirašė visi.</p>",
            "<p>Everyone has signed, and the sender can see that.</p>",
        ),
        (
            OtherSigners::Ended,
            true,
            "<p>Siuntėjas mato, kad pasirašėte.</p>",
            "<p>The sender can see that you have signed.</p>",
        ),
    ] {
        content.progress.others = others;
        content.progress.is_copy_mailed = is_copy_mailed;
        for (language, next, asked) in [
            (Language::Lt, lithuanian, "prašė jūsų pasirašyti:</p>"),
            (Language::En, english, "asked you to sign:</p>"),
        ] {
            let html = rendered_for(&content, language, false);

            assert!(html.contains(next) && html.contains(asked), "{html}");
            assert!(html.contains("<div id=\"done\"><h2"), "{html}");
            assert_eq!(html.matches("href=\"/c/t/document\"").count(), 1);
            for gone in [
                "signatures-heading",
                "to-steps",
                "class=\"deadline",
                "<noscript",
            ] {
                assert!(!html.contains(gone), "{gone}: {html}");
            }
            let [done, document] =
                ["id=\"done\"", "<section class=\"document\""].map(|part| html.find(part));
            assert!(done.is_some() && done < document, "{html}");
        }
    }
    let open = rendered_for(&content, Language::En, true);
    assert!(open.contains("<div id=\"done\" hidden>"), "{open}");
    assert!(open.contains("id=\"signatures-heading\""), "{open}");
}

#[test]
fn signers_are_shown_to_each_other_where_that_is_wanted() {
    let mut content = content(vec![SigningMethod::SmartId], &known(Vec::new()));
    assert!(!rendered(&content, Language::En).contains("parties-heading"));
    content.progress.parties = vec![
        Party {
            name: Some("<i>Ona".to_owned()),
            status: SignerStatus::Signed,
        },
        Party {
            name: None,
            status: SignerStatus::Waiting,
        },
        Party {
            name: Some("Jonas".to_owned()),
            status: SignerStatus::Declined,
        },
        Party {
            name: Some("Petras".to_owned()),
            status: SignerStatus::Expired,
        },
    ];

    for is_open in [true, false] {
        let [lithuanian, english] =
            [Language::Lt, Language::En].map(|language| rendered_for(&content, language, is_open));
        for shown in [
            "<bdi>&lt;i&gt;Ona</bdi></strong>: has signed",
            "<bdi>No name given</bdi></strong>: has not signed yet",
            "<bdi>Jonas</bdi></strong>: declined to sign",
            "<bdi>Petras</bdi></strong>: did not sign",
        ] {
            assert!(english.contains(shown), "{shown}: {english}");
        }
        assert!(
            lithuanian.contains("</strong>: dar nepasirašė"),
            "{lithuanian}"
        );
    }
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
        "<strong><bdi>PAVARDENIS,VARDENIS</bdi></strong>: signature intact; \
         claimed time 11 March 2026, 11:00 (Vilnius time); with a time-stamp</li>",
        "<strong><bdi>Signer not named</bdi></strong>: signature not intact; no time given; \
         with a time-stamp</li>",
        "<strong><bdi>OTHER</bdi></strong>: signature cannot be checked here; ",
    ] {
        assert!(english.contains(shown), "{shown}: {english}");
    }
    assert!(lithuanian.contains("informacinis patikrinimas"));
    assert!(lithuanian.contains("VARDENIS</bdi></strong>: parašas nepažeistas"));
    assert!(lithuanian.contains("OTHER</bdi></strong>: parašo čia patikrinti negalima"));
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

    assert!(unknown.contains("could not be checked"));
    assert!(unknown.contains("advisory"));
    assert!(!none.contains("advisory"));
}
