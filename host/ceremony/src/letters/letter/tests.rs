use super::*;

const LINK: &str = "https://parafa.example/c/token";

fn registered() -> Face {
    Face {
        registered_name: "Ąžuolas, UAB".to_owned(),
        ..Face::default()
    }
}

fn letter(face: &Face, kind: LetterKind, language: Language) -> Letter<'_> {
    let way = match kind {
        LetterKind::Retraction => Way::Nowhere,
        _ => Way::Link(LINK),
    };
    Letter {
        kind,
        language: Some(language),
        face,
        signer_name: Some("Žydrė <b>"),
        sandbox: false,
        title: "Paslaugų sutartis",
        methods: vec![
            SigningMethod::SmartId,
            SigningMethod::MobileId,
            SigningMethod::Nfc,
        ],
        until: "2026-07-01T12:00:00Z".parse().expect("a time"),
        subject_notice: None,
        items: vec![LetterItem {
            document_name: "sutartis.pdf",
            way,
        }],
    }
}

#[test]
fn an_invitation_says_who_asks_for_what_by_when_and_where() {
    let written = letter(&registered(), LetterKind::Invitation, Language::En).write();

    assert_eq!(written.subject, "Request to sign: Paslaugų sutartis");
    for content in [&written.text, &written.html] {
        for part in ["Ąžuolas, UAB", "sutartis.pdf", LINK, "1 July 2026, 15:00"] {
            assert!(content.contains(part), "{part} is not in {content}");
        }
    }
}

#[test]
fn whoever_is_compared_with_a_register_reads_what_becomes_of_their_data() {
    let face = registered();
    let notice = SubjectNotice {
        lt: "Duomenų valdytojas: aš.".to_owned(),
        en: "Controller: me.".to_owned(),
    };
    let told = |kind| {
        let mut letter = letter(&face, kind, Language::Lt);
        letter.language = None;
        letter.subject_notice = Some(&notice);
        letter.write()
    };
    for kind in [LetterKind::Invitation, LetterKind::Reminder] {
        let written = told(kind);
        for content in [&written.text, &written.html] {
            assert!(content.contains(&notice.lt) && content.contains(&notice.en));
        }
    }
    assert!(!told(LetterKind::Retraction).text.contains(&notice.lt));
}

#[test]
fn the_holder_of_a_role_is_asked_to_confirm_their_identity() {
    let face = registered();
    let notice = SubjectNotice {
        lt: "Duomenų valdytojas: aš.".to_owned(),
        en: "Controller: me.".to_owned(),
    };
    for (kind, subject, sentence) in [
        (
            LetterKind::Invitation,
            "Request to confirm your identity: ",
            "asks you to confirm your identity by signing:",
        ),
        (
            LetterKind::Reminder,
            "Reminder to confirm your identity: ",
            "reminds you to confirm your identity by signing:",
        ),
        (
            LetterKind::Retraction,
            "You no longer need to confirm your identity: ",
            "has cancelled the request to confirm your identity:",
        ),
    ] {
        let mut letter = letter(&face, kind, Language::En);
        letter.subject_notice = Some(&notice);

        let written = letter.write();

        assert!(written.subject.starts_with(subject), "{}", written.subject);
        for content in [&written.text, &written.html] {
            assert!(content.contains(sentence), "{content}");
        }
    }
}

#[test]
fn a_letter_says_what_is_needed_how_to_decline_and_whom_to_ask() {
    let mut face = registered();
    face.contact = Some("klausk@example.lt".to_owned());
    for (language, parts) in [
        (
            Language::Lt,
            [
                "šiais būdais: Smart-ID, asmens tapatybės kortelė (NFC).",
                "rinkitės „Nenoriu pasirašyti“",
                "Kreipkitės: Ąžuolas, UAB, klausk@example.lt.",
            ],
        ),
        (
            Language::En,
            [
                "You can sign with: Smart-ID, ID card (NFC).",
                "choose “I do not want to sign”",
                "Contact Ąžuolas, UAB, klausk@example.lt.",
            ],
        ),
    ] {
        for kind in [
            LetterKind::Invitation,
            LetterKind::Turn,
            LetterKind::Reminder,
        ] {
            let mut letter = letter(&face, kind, language);
            letter.methods = vec![SigningMethod::SmartId, SigningMethod::Nfc];
            let written = letter.write();
            for content in [&written.text, &written.html] {
                for part in parts {
                    assert!(content.contains(part), "{part} is not in {content}");
                }
            }
            let address = format!(": {LINK}</span>");
            assert!(written.html.contains(&address), "{}", written.html);
            assert!(written.html.contains("content=\"light only\""));
        }
        let retraction = letter(&face, LetterKind::Retraction, language).write();
        assert!(!retraction.text.contains(parts[1]), "{}", retraction.text);
        assert!(retraction.text.contains(parts[2]), "{}", retraction.text);
    }
}

#[test]
fn whoever_has_said_no_language_reads_the_same_letter_in_both() {
    let face = registered();
    for kind in [
        LetterKind::Invitation,
        LetterKind::Reminder,
        LetterKind::Retraction,
    ] {
        let mut bilingual = letter(&face, kind, Language::Lt);
        bilingual.language = None;
        bilingual.sandbox = true;

        let written = bilingual.write();

        for language in [Language::Lt, Language::En] {
            let mut alone = letter(&face, kind, language);
            alone.sandbox = true;
            let own_page = format!("{LINK}?lang={}", language.tag());
            let alone = alone.write().text.replace(LINK, &own_page);
            assert!(
                written.text.contains(&alone),
                "{alone} is not in {}",
                written.text
            );
        }
        for part in [
            "<html lang=\"lt\">",
            "<div lang=\"lt\">",
            "<div lang=\"en\">",
        ] {
            assert!(
                written.html.contains(part),
                "{part} is not in {}",
                written.html
            );
        }
    }
}

#[test]
fn the_subject_of_a_letter_in_both_languages_begins_with_the_marks_of_both() {
    let face = registered();
    let mut letter = letter(&face, LetterKind::Invitation, Language::Lt);
    letter.language = None;
    letter.sandbox = true;

    assert_eq!(
        letter.write().subject,
        "[BANDYMAS] [TEST] Prašymas pasirašyti / Request to sign: Paslaugų sutartis"
    );
}

#[test]
fn a_name_of_nothing_is_not_greeted() {
    let face = registered();
    let mut letter = letter(&face, LetterKind::Invitation, Language::En);
    letter.signer_name = Some(" ");

    assert!(letter.write().text.starts_with("Hello,\n"));
}

#[test]
fn a_batch_is_one_letter_with_all_links() {
    let face = registered();
    let mut letter = letter(&face, LetterKind::Invitation, Language::Lt);
    letter.items.push(LetterItem {
        document_name: "priedas.pdf",
        way: Way::Link("https://parafa.example/c/other"),
    });

    let written = letter.write();

    assert!(written.text.contains(LINK) && written.text.contains("/c/other"));
    assert!(written.html.contains(LINK) && written.html.contains("/c/other"));
}

#[test]
fn a_retraction_holds_no_link() {
    let written = letter(&registered(), LetterKind::Retraction, Language::Lt).write();

    assert!(written.subject.starts_with("Pasirašyti nebereikia"));
    assert!(!written.text.contains(LINK) && !written.html.contains(LINK));
}

#[test]
fn a_letter_of_the_sandbox_is_marked_in_its_language() {
    for (language, mark) in [(Language::Lt, "[BANDYMAS] "), (Language::En, "[TEST] ")] {
        let face = registered();
        let mut letter = letter(&face, LetterKind::Reminder, language);
        letter.sandbox = true;
        assert!(letter.write().subject.starts_with(mark));
    }
}

#[test]
fn what_others_wrote_is_shown_as_text() {
    let written = letter(&registered(), LetterKind::Invitation, Language::Lt).write();

    assert!(written.html.contains("Žydrė &lt;b&gt;"));
}

#[test]
fn a_letter_at_ones_turn_says_so_and_what_it_is_the_turn_for() {
    let written = letter(&registered(), LetterKind::Turn, Language::En).write();

    assert_eq!(written.subject, "Your turn to sign: Paslaugų sutartis");
    for content in [&written.text, &written.html] {
        for part in ["asks you to sign:", "Now it is your turn", LINK] {
            assert!(content.contains(part), "{part} is not in {content}");
        }
    }
}

#[test]
fn who_asks_has_the_name_and_the_look_that_it_chose_and_the_registered_name_stays() {
    let mut face = registered();
    face.display_name = Some("Ąžuolo biuras".to_owned());
    face.logo = Some(LogoSize::of_pixels(480, 144));
    face.accent = Some(Colour([0xff, 0xe0, 0x00]));
    let written = letter(&face, LetterKind::Invitation, Language::Lt).write();

    for content in [&written.text, &written.html] {
        assert!(content.contains("Ąžuolo biuras"), "{content}");
        assert!(
            content.contains("Registruotas pavadinimas: Ąžuolas, UAB"),
            "{content}"
        );
    }
    assert!(
        written
            .html
            .contains("src=\"cid:logo\" alt=\"\" width=\"160\" height=\"48\"")
    );
    assert!(!written.html.contains("#14532d") && !written.html.contains("#ffe000"));
}

/// Snapshot of the letters, in both languages; update it when a text changes.
#[test]
fn letters_read_as_they_always_did() {
    let plain = registered();
    let mut chosen = registered();
    chosen.display_name = Some("Ąžuolo biuras".to_owned());
    chosen.accent = Some(Colour([0x1d, 0x4e, 0xd8]));
    chosen.logo = Some(LogoSize::of_pixels(300, 144));
    for language in [Language::Lt, Language::En] {
        for (name, face, kind) in [
            ("turn", &chosen, LetterKind::Turn),
            ("done", &chosen, LetterKind::Done),
            ("reminder", &plain, LetterKind::Reminder),
        ] {
            let mut letter = letter(face, kind, language);
            if kind == LetterKind::Done {
                letter.items.push(LetterItem {
                    document_name: "priedas.pdf",
                    way: Way::Attached,
                });
            }
            let Written {
                subject,
                text,
                html,
            } = letter.write();
            let tag = language.tag();
            insta::assert_snapshot!(
                format!("{name}-{tag}"),
                format!("{subject}\n\n{text}\n\n{}", html.replace('>', ">\n"))
            );
        }
    }
}

#[test]
fn a_letter_with_the_document_alone_speaks_of_no_link() {
    let face = registered();
    let mut letter = letter(&face, LetterKind::Done, Language::En);
    letter.items[0].way = Way::Attached;

    let written = letter.write();

    assert!(
        written
            .text
            .contains("sutartis.pdf (attached to this email)")
    );
    for content in [&written.text, &written.html] {
        assert!(
            !content.contains("link") && !content.contains("until"),
            "{content}"
        );
    }
}
