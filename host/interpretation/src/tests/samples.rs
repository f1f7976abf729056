//! Data as the answers have them, written by hand.

use serde_json::{Value, json};

use crate::Endpoint;

/// A private limited company with everything that a profile can have.
pub(crate) fn company() -> Value {
    json!({
        "code": "999000017",
        "name": "UAB „Pavyzdys“",
        "legalForm": {"jarCode": 310, "elf": "BPLS", "label": {"lt": "Uždaroji akcinė bendrovė", "en": "Private limited company"}},
        "legalStatus": status("bankruptcy"),
        "registeredOn": "2015-03-02",
        "deregisteredOn": null,
        "registeredOffice": {"full": "Vilnius, Pavyzdžio g. 1", "country": "LT"},
        "shareCapital": {"amount": "2500.00", "currency": "EUR", "since": "2015-03-02"},
        "managementBodies": [
            {"kind": "manager", "since": "2020-01-07", "members": []},
            {"kind": "board", "since": "2020-01-07", "members": []},
        ],
        "representation": {"rule": "quantitative", "text": "Du valdybos nariai kartu"},
        "financialStatements": {"lastFiledFor": "2023", "late": true},
    })
}

/// A legal person of the form with the ELF code `elf`, without capital.
pub(crate) fn of_form(elf: &str) -> Value {
    json!({
        "code": "999000024",
        "name": "Pavyzdys",
        "legalForm": {"jarCode": 0, "elf": elf, "label": {"lt": "", "en": ""}},
        "legalStatus": status("registered"),
        "registeredOffice": {"full": "Kaunas, Pavyzdžio g. 2", "country": "LT"},
        "shareCapital": null,
        "managementBodies": [],
        "representation": null,
        "financialStatements": null,
    })
}

/// The company with another legal status.
pub(crate) fn with_status(normalized: &str) -> Value {
    let mut company = company();
    company["legalStatus"] = status(normalized);
    company
}

fn status(normalized: &str) -> Value {
    json!({"jarCode": 0, "normalized": normalized, "label": {"lt": "", "en": ""}, "since": "2024-05-02"})
}

/// Every normalized legal status.
pub(crate) const STATUSES: [&str; 21] = [
    "registered",
    "under_reorganisation",
    "participating_in_reorganisation",
    "under_conversion",
    "under_restructuring",
    "bankruptcy",
    "bankrupt_legacy",
    "in_liquidation",
    "participating_in_spin_off",
    "liquidation_initiated",
    "deregistered",
    "liquidated",
    "not_reregistered",
    "se_formation",
    "sce_formation",
    "seat_transfer",
    "cross_border_merger",
    "participating_in_cross_border_merger",
    "liquidation_bankruptcy",
    "cross_border_conversion",
    "cross_border_division",
];

/// Declared beneficial owners, one of them indirect.
pub(crate) fn owners() -> Value {
    json!({
        "declaredOn": "2024-02-01",
        "status": "declared",
        "owners": [
            {"id": "1", "name": "Vardenė Pavardenė", "controls": [
                {"nature": "shareholding", "directOrIndirect": "direct", "shareExact": 60},
                {"nature": "votingRights", "directOrIndirect": "indirect", "shareExact": 40},
            ]},
            {"id": "2", "name": "Vardenis Pavardenis", "controls": [
                {"nature": "seniorManagingOfficial", "directOrIndirect": "direct"},
            ]},
        ],
    })
}

/// Beneficial owners without any owner, for the reason `status`.
pub(crate) fn no_owners(status: &str) -> Value {
    json!({"declaredOn": null, "status": status, "owners": []})
}

/// Seizure acts: one of a court that restricts everything, one of a bailiff
/// that was removed.
pub(crate) fn seizures() -> Value {
    json!({"acts": [
        {
            "actId": "20240000001",
            "registeredAt": "2024-06-03T08:15:00.000Z",
            "deregisteredOn": null,
            "authority": {"kind": "court", "name": "Vilniaus miesto apylinkės teismas"},
            "restrictedRights": ["possession", "use", "disposal"],
            "extent": {"amount": "12000.00", "currency": "EUR"},
        },
        {
            "actId": "20240000002",
            "registeredAt": "2023-01-09T10:00:00.000Z",
            "deregisteredOn": "2024-01-31",
            "authority": {"kind": "bailiff", "name": "Antstolė"},
            "restrictedRights": ["disposal"],
            "extent": null,
        },
    ]})
}

/// One seizure act of an authority of this kind.
pub(crate) fn seizure_of(kind: &str) -> Value {
    let mut seizures = seizures();
    seizures["acts"] = json!([seizures["acts"][0]]);
    seizures["acts"][0]["authority"]["kind"] = json!(kind);
    seizures
}

/// This many seizure acts, all alike.
pub(crate) fn many_seizures(count: usize) -> Value {
    let act = seizures()["acts"][0].clone();
    json!({ "acts": vec![act; count] })
}

/// A report with data in all sections.
pub(crate) fn report() -> Value {
    json!({"sections": {
        "profile": section("JAR", &company()),
        "participants": section("JADIS", &json!({"listFiled": true})),
        "beneficialOwners": section("JANGIS", &owners()),
        "realEstate": section("NTR", &json!({"items": [{"uniqueNumber": "4400-4756-6034"}]})),
        "seizures": section("TAAR", &seizures()),
        "cases": section("LITEKO", &json!({"cases": [{"caseNumber": "e2-1-1/2024"}]})),
    }})
}

/// A report in which only the profile has data.
pub(crate) fn sparse_report() -> Value {
    let mut report = report();
    for section in [
        "participants",
        "beneficialOwners",
        "realEstate",
        "seizures",
        "cases",
    ] {
        report["sections"][section] = json!({
            "status": "no-data",
            "retrievedAt": "2026-11-21T12:40:00Z",
            "source": {"register": "", "reference": "2"},
            "data": null,
        });
    }
    report
}

fn section(register: &str, data: &Value) -> Value {
    json!({
        "status": "ok",
        "retrievedAt": "2026-11-21T12:40:00Z",
        "source": {"register": register, "mode": "synthetic", "reference": "1", "rawSha256": "00"},
        "data": data,
    })
}

/// All of the above.
pub(crate) fn all() -> Vec<(Endpoint, Value)> {
    let forms = ["81KA", "SFYA", "LUOA", "KWBA"].map(of_form);
    let profiles = STATUSES.map(with_status).into_iter().chain(forms);
    let ubo = ["not_declared", "exempt_state", "cannot_be_determined"].map(no_owners);
    let kinds = [
        "prosecutor",
        "tax_inspectorate",
        "pre_trial_officer",
        "other",
    ];
    let acts = kinds.map(seizure_of);
    [
        (Endpoint::BeneficialOwners, owners()),
        (Endpoint::Seizures, seizures()),
        (Endpoint::Report, report()),
        (Endpoint::Report, sparse_report()),
    ]
    .into_iter()
    .chain(profiles.map(|data| (Endpoint::Profile, data)))
    .chain(ubo.map(|data| (Endpoint::BeneficialOwners, data)))
    .chain(acts.map(|data| (Endpoint::Seizures, data)))
    .collect()
}
