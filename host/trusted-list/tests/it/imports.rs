//! Differences between lists and anchors.

use parafa_issuing::{Extension, Key, KeyKind, Profile};
use parafa_trust::TrustAnchors;
use parafa_trusted_list::{Imported, Window};

use crate::lists::{GRANTED, ListText, ServiceText, WITHDRAWN, authority};
use crate::world::{World, at, fingerprint, refusal};

const SINCE_2024: &[(&str, &str)] = &[(GRANTED, "2024-07-02T00:00:00Z")];
const SIGNING: &str = "kind = \"issuing\"\npurposes = [\"signing\"]";
const TIMESTAMPING: &str = "kind = \"root\"\npurposes = [\"timestamping\"]";

fn window(from: &str, until: Option<&str>) -> Window {
    Window {
        from: Some(at(from)),
        until: until.map(at),
    }
}

/// Subjects of the added anchors.
fn added(imported: &Imported) -> Vec<&str> {
    let added = imported.difference.added.iter();
    added.map(|added| added.subject.as_str()).collect()
}

#[test]
fn what_a_list_grants_and_no_anchor_has_is_to_be_added() {
    let world = World::new();
    let [issuer, stamper, sealer, former] =
        ["Issuer", "Stamper", "Sealer", "Former"].map(authority);
    let list = ListText::of(
        "LT",
        &[
            ServiceText::issues(&issuer, SINCE_2024),
            ServiceText::stamps(&stamper, SINCE_2024),
            ServiceText {
                is_for: "ForeSeals",
                ..ServiceText::issues(&sealer, SINCE_2024)
            },
            ServiceText::issues(&former, &[(WITHDRAWN, "2024-07-02T00:00:00Z")]),
        ],
    );

    let imported = world.import(&list).unwrap();

    assert_eq!(added(&imported), ["Issuer", "Stamper"]);
    let [first, second] = &imported.difference.added[..] else {
        panic!("{imported:?}");
    };
    assert_eq!(first.sha256, fingerprint(&issuer));
    assert_eq!([first.purpose, second.purpose], ["signing", "timestamping"]);
    assert_eq!(first.window, window("2024-07-02T00:00:00Z", None));
    assert_eq!(first.provider, "Provider & Co");
    assert_eq!(first.service, "Service");
    assert_eq!(first.policies, ["1.2.3"]);
    let read = imported.lists.iter().map(|list| list.territory.as_str());
    assert_eq!(read.collect::<Vec<_>>(), ["EU", "LT"]);
}

#[test]
fn a_service_counts_since_it_was_granted_last() {
    let world = World::new();
    let issuer = authority("Issuer");
    let list = ListText::of(
        "LT",
        &[ServiceText::issues(
            &issuer,
            &[
                (GRANTED, "2024-01-01T00:00:00Z"),
                (GRANTED, "2023-01-01T00:00:00Z"),
                (WITHDRAWN, "2022-01-01T00:00:00Z"),
                (GRANTED, "2017-01-01T00:00:00Z"),
            ],
        )],
    );

    let imported = world.import(&list).unwrap();

    let windows = imported.difference.added.iter().map(|added| added.window);
    let expected = window("2023-01-01T00:00:00Z", None);
    assert_eq!(windows.collect::<Vec<_>>(), [expected]);
}

#[test]
fn anchors_are_held_against_the_list() {
    let world = World::new();
    let [same, earlier, former, alone] = ["Same", "Earlier", "Former", "Alone"].map(authority);
    let since = "qualified_from = \"2024-07-02T00:00:00Z\"";
    world.trust("same.pem", &same, &format!("{SIGNING}\n{since}"));
    world.trust("earlier.pem", &earlier, SIGNING);
    world.trust("former.pem", &former, &format!("{since}\n{SIGNING}"));
    world.trust("alone.pem", &alone, SIGNING);
    let until = "2026-02-01T00:00:00Z";
    let withdrawn = [(WITHDRAWN, until), SINCE_2024[0]];
    let list = ListText::of(
        "LT",
        &[
            ServiceText::issues(&same, SINCE_2024),
            ServiceText::issues(&earlier, SINCE_2024),
            ServiceText::issues(&former, &withdrawn),
        ],
    );

    let imported = world.import(&list).unwrap();

    let difference = &imported.difference;
    assert!(added(&imported).is_empty());
    let [changed] = &difference.changed[..] else {
        panic!("{difference:?}");
    };
    assert_eq!(changed.file, "earlier.pem");
    assert_eq!(changed.before.from, None);
    assert_eq!(changed.after, window("2024-07-02T00:00:00Z", None));
    let [withdrawn] = &difference.withdrawn[..] else {
        panic!("{difference:?}");
    };
    assert_eq!(withdrawn.file, "former.pem");
    assert_eq!(withdrawn.after, window("2024-07-02T00:00:00Z", Some(until)));
    let [unlisted] = &difference.unlisted[..] else {
        panic!("{difference:?}");
    };
    assert_eq!(unlisted.file, "alone.pem");
    assert_eq!(unlisted.sha256, fingerprint(&alone));
}

#[test]
fn a_unit_that_stamps_needs_the_authority_above_it() {
    let world = World::new();
    let root = authority("Root");
    let key = Key::generate(KeyKind::P256).unwrap();
    let unit = root.issue(&Profile::named("Unit"), key).unwrap();
    let list = ListText::of("LT", &[ServiceText::stamps(&unit, SINCE_2024)]);

    let without = world.import(&list).unwrap().difference;
    assert!(without.added.is_empty());
    assert!(without.notes[0].contains("Unit"), "{without:?}");

    world.trust("root.pem", &root, TIMESTAMPING);
    let with = world.import(&list).unwrap().difference;
    assert!(
        with.notes.is_empty() && with.unlisted.is_empty(),
        "{with:?}"
    );

    let withdrawn = [(WITHDRAWN, "2026-02-01T00:00:00Z"), SINCE_2024[0]];
    let list = ListText::of("LT", &[ServiceText::stamps(&unit, &withdrawn)]);
    let after = world.import(&list).unwrap().difference;
    let [unlisted] = &after.unlisted[..] else {
        panic!("{after:?}");
    };
    assert_eq!(unlisted.file, "root.pem");
}

#[test]
fn what_is_written_is_another_folder_that_is_as_the_lists_have_it() {
    let world = World::new();
    let [earlier, former, new] = ["Earlier", "Former", "New"].map(authority);
    world.trust(
        "earlier.pem",
        &earlier,
        &format!("{SIGNING}\n[certificate.ocsp]\nnonce = \"require\""),
    );
    world.trust(
        "former.pem",
        &former,
        &format!("qualified_from = \"2020-01-01T00:00:00Z\" # of old\n{SIGNING}"),
    );
    let before = world.text("trust/trust.toml");
    let withdrawn = [(WITHDRAWN, "2026-02-01T00:00:00Z"), SINCE_2024[0]];
    let list = ListText::of(
        "LT",
        &[
            ServiceText::issues(&earlier, SINCE_2024),
            ServiceText::issues(&former, &withdrawn),
            ServiceText::issues(&new, SINCE_2024),
        ],
    );
    let imported = world.import(&list).unwrap();

    imported.write(&world.path("new")).unwrap();

    assert_eq!(world.text("trust/trust.toml"), before);
    let written = world.text("new/trust.toml");
    assert_eq!(written.matches("# Kept by hand.").count(), 2, "{written}");
    assert!(
        written.contains("# LT: Service, Provider & Co."),
        "{written}"
    );
    assert!(!written.contains("of old"), "{written}");
    let anchors = TrustAnchors::load(&world.path("new")).unwrap();
    let times = anchors
        .entries()
        .iter()
        .map(|entry| (entry.qualified_from, entry.qualified_until));
    let since = Some(at("2024-07-02T00:00:00Z"));
    let expected = [
        (since, None),
        (since, Some(at("2026-02-01T00:00:00Z"))),
        (since, None),
    ];
    assert_eq!(times.collect::<Vec<_>>(), expected);

    let signed = list.signed_by(&world.lithuania);
    let again = world.import_into("new", &signed, &[world.path("union.pem")]);
    assert!(again.unwrap().difference.is_settled());
    let twice = imported.write(&world.path("new")).expect_err("it is there");
    assert!(twice.to_string().contains("exists already"), "{twice}");
}

#[test]
fn a_form_that_is_not_changed_line_by_line_leaves_nothing_behind() {
    let world = World::new();
    let issuer = authority("Issuer");
    world.trust("issuer.pem", &issuer, SIGNING);
    let manifest = format!(
        "certificate = [{{ file = 'issuer.pem', sha256 = '{}', kind = 'issuing', purposes = ['signing'] }}]",
        fingerprint(&issuer)
    );
    world.add("trust/trust.toml", manifest);
    let list = ListText::of("LT", &[ServiceText::issues(&issuer, SINCE_2024)]);
    let imported = world.import(&list).unwrap();

    let refused = imported
        .write(&world.path("new"))
        .expect_err("it is refused");

    assert!(refused.is_refusal(), "{refused:?}");
    assert!(!world.path("new").exists());
}

#[test]
fn an_older_list_than_the_last_is_refused() {
    let world = World::new();
    let list = ListText::of("LT", &[]);
    let imported = world.import(&list).unwrap();
    imported.write(&world.path("new")).unwrap();
    let signers = [world.path("union.pem")];
    let import = |sequence| {
        let list = ListText {
            sequence,
            ..list.clone()
        };
        world.import_into("new", &list.signed_by(&world.lithuania), &signers)
    };

    let older = refusal(import(65));

    assert!(
        older.contains("list 66 of LT was imported before"),
        "{older}"
    );
    assert!(import(66).is_ok() && import(67).is_ok());
}

#[test]
fn a_list_after_its_time_counts_only_where_that_is_accepted() {
    let mut world = World::new();
    let ended = ListText {
        next_update: Some("2026-05-31T23:59:59Z"),
        ..ListText::of("LT", &[])
    };
    let closed = ListText {
        next_update: None,
        ..ended.clone()
    };
    for (list, told) in [(&ended, "was due by 2026-05-31"), (&closed, "is closed")] {
        world.accepts_old = false;
        let refused = refusal(world.import(list));
        assert!(refused.contains(told), "{refused}");
        assert!(refused.contains("--accept-old"), "{refused}");

        world.accepts_old = true;
        let accepted = world.import(list).unwrap();
        assert!(accepted.warnings[0].contains(told), "{accepted:?}");
    }
}

#[test]
fn lists_of_other_kinds_and_versions_are_refused() {
    let world = World::new();
    let list = ListText::of("LT", &[]);
    let refused = |list: &ListText| refusal(world.import(list));

    let version = refused(&ListText {
        version: 4,
        ..list.clone()
    });
    assert!(version.contains("versions 5 and 6"), "{version}");
    let kind = refused(&ListText {
        kind: "EUlistofthelists",
        ..list.clone()
    });
    assert!(kind.contains("EUgeneric"), "{kind}");
    let territory = refused(&ListText {
        territory: "../x",
        ..list.clone()
    });
    assert!(territory.contains("two letters"), "{territory}");
    let path = world.path("lt.xml");
    world.add("lt.xml", list.signed_by(&world.lithuania));
    let signers = [world.path("union.pem")];
    let twice = world.import_files(&world.path("trust"), &[path.clone(), path], &signers);
    let twice = refusal(twice);
    assert!(twice.contains("is for LT too"), "{twice}");
}

#[test]
fn a_certificate_that_has_ended_is_not_added() {
    let world = World::new();
    let mut profile = Profile::named("Ended").with(Extension::authority(None));
    profile.validity = ["20200101000000Z".into(), "20260101000000Z".into()];
    let key = Key::generate(KeyKind::P256).unwrap();
    let ended = parafa_issuing::Credential::self_signed(&profile, key).unwrap();
    let list = ListText::of("LT", &[ServiceText::issues(&ended, SINCE_2024)]);

    let imported = world.import(&list).unwrap();

    assert!(imported.difference.is_settled(), "{imported:?}");
}
