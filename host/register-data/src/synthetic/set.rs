//! Files of the set. Each is about one entity: its answers by kind of query, exactly as gateways
//! answer, and how the registers behave.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    EntityCode, PropertyNumber, Query, RegisterData, Role, RoleHolder, RoleHolders,
    data::bods::{self, Subject},
};

#[rustfmt::skip]
const FILES: [&str; 19] = [
    include_str!("../../data/synthetic/999000009.json"),
    include_str!("../../data/synthetic/999000017.json"),
    include_str!("../../data/synthetic/999000024.json"),
    include_str!("../../data/synthetic/999000031.json"),
    include_str!("../../data/synthetic/999000049.json"),
    include_str!("../../data/synthetic/999000056.json"),
    include_str!("../../data/synthetic/999000063.json"),
    include_str!("../../data/synthetic/999000070.json"),
    include_str!("../../data/synthetic/999000088.json"),
    include_str!("../../data/synthetic/999000095.json"),
    include_str!("../../data/synthetic/999000106.json"),
    include_str!("../../data/synthetic/999000113.json"),
    include_str!("../../data/synthetic/999000120.json"),
    include_str!("../../data/synthetic/999000138.json"),
    include_str!("../../data/synthetic/999000145.json"),
    include_str!("../../data/synthetic/999000152.json"),
    include_str!("../../data/synthetic/999000162.json"),
    include_str!("../../data/synthetic/999000177.json"),
    include_str!("../../data/synthetic/999000184.json"),
];

/// All files, read once.
pub(super) static SET: LazyLock<Set> = LazyLock::new(|| {
    let mut set = Set::default();
    for file in FILES {
        set.add(serde_json::from_str(file).expect("every file of the set is of its shape"));
    }
    set
});

/// Behaviour of the registers when asked about an entity.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Conduct {
    #[default]
    Answer,
    SeizuresDown,
    Down,
    Hang,
    AnswerGarbage,
}

/// One file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    code: EntityCode,
    #[serde(default)]
    conduct: Conduct,
    /// Answers by kind of query.
    #[serde(default)]
    answers: BTreeMap<String, Value>,
    #[serde(default)]
    role_holders: BTreeMap<Role, InOffice>,
    #[serde(default)]
    property_extracts: BTreeMap<PropertyNumber, Value>,
}

/// Holders of a role, until the last day of their term if there is one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InOffice {
    until: Option<Date>,
    holders: Vec<RoleHolder>,
}

/// Content of the files.
#[derive(Default)]
pub(super) struct Set {
    /// Behaviours by entity code.
    conducts: HashMap<String, Conduct>,
    /// Answers, with the last day on which they hold.
    answers: HashMap<Query, (Option<Date>, RegisterData)>,
}

impl Set {
    /// Behaviour of the registers about an entity; `None` if it is not in the set.
    pub(super) fn conduct(&self, code: &str) -> Option<Conduct> {
        self.conducts.get(code).copied()
    }

    /// The answer as of a day.
    pub(super) fn answer(&self, query: &Query, day: Date) -> Option<RegisterData> {
        let (until, data) = self.answers.get(query)?;
        let mut data = is_in_office(*until, day).then(|| data.clone())?;
        if let RegisterData::CompanyProfile(profile) = &mut data
            && let Some(bodies) = &mut profile.management_bodies
        {
            for members in bodies.iter_mut().filter_map(|body| body.members.as_mut()) {
                members.retain(|member| is_in_office(member.until, day));
            }
            bodies.retain(|body| body.members.as_ref().is_none_or(|some| !some.is_empty()));
        }
        Some(data)
    }

    /// # Panics
    /// When something of the file is not to the letter.
    fn add(&mut self, file: File) {
        let code = &file.code;
        let profile = file.answers.get("company-profile");
        let name = profile.and_then(|profile| profile["name"].as_str());
        let name = name.unwrap_or_default();
        let answers = file.answers.iter().map(|(kind, answer)| {
            let about = Query::about_entity(kind).expect("files hold what can be asked");
            (about(code.clone()), answer)
        });
        let extracts = file.property_extracts.iter();
        let extracts =
            extracts.map(|(number, extract)| (Query::PropertyExtract(number.clone()), extract));
        for (query, answer) in answers.chain(extracts) {
            let mut data = RegisterData::from_json(&query, answer.to_string().as_bytes())
                .unwrap_or_else(|error| panic!("{query:?}: {error}"));
            state(&mut data, code, name);
            self.answers.insert(query, (None, data));
        }
        for (role, InOffice { until, holders }) in file.role_holders {
            let query = Query::RoleHolders {
                entity: code.clone(),
                role,
            };
            let holders = RegisterData::RoleHolders(RoleHolders { holders });
            self.answers.insert(query, (until, holders));
        }
        self.conducts.insert(file.code.to_string(), file.conduct);
    }
}

fn is_in_office(until: Option<Date>, day: Date) -> bool {
    until.is_none_or(|until| day <= until)
}

/// Adds the statements that follow from a list or declaration, if it has a date.
fn state(data: &mut RegisterData, code: &EntityCode, name: &str) {
    let subject = |stated_on| Subject {
        code,
        name,
        stated_on,
    };
    match data {
        RegisterData::Participants(list) => {
            let date = list.list_date;
            list.bods = date.map(|date| bods::of_participants(subject(date), &list.participants));
        }
        RegisterData::BeneficialOwners(declared) => {
            if let Some(date) = declared.declared_on {
                let owners = declared.owners.as_deref().unwrap_or_default();
                declared.bods = bods::of_owners(subject(date), declared.status, owners);
            }
        }
        _ => {}
    }
}
