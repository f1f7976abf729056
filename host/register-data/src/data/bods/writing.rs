//! Participants and beneficial owners as statements: first the entity, then other entities,
//! persons, and interests in the entity.

use jiff::civil::Date;
use sha2::{Digest as _, Sha256};

use super::{
    Country, Directness, EntityRecord, EntityType, EntityTypeCode, Interest, InterestType,
    InterestedParty, NameType, PersonName, PersonRecord, PersonRecordType, PublicationDetails,
    Publisher, Record, RecordIdentifier, RelationshipRecord, Share, Source, SourceType, Statement,
    UnspecifiedReason,
};
use crate::{
    EntityCode, Register,
    data::{
        BeneficialOwner, Control, DeclarationStatus, Identifier, Participant, PartyType, Percent,
    },
};

const VERSION: &str = "0.4";
const PUBLISHER: &str = "Parafa";

/// The entity that statements are about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Its code.
    pub code: &'a EntityCode,
    /// Its name.
    pub name: &'a str,
    /// The date of the list or declaration.
    pub stated_on: Date,
}

/// Statements of a list of participants.
#[must_use]
pub fn of_participants(subject: Subject<'_>, participants: &[Participant]) -> Vec<Statement> {
    let mut writing = Writing::begin(subject, Register::Jadis, vec![SourceType::OfficialRegister]);
    let parties = participants.iter();
    let (persons, entities): (Vec<_>, Vec<_>) =
        parties.partition(|participant| participant.participant_type == PartyType::Natural);
    for participant in entities.into_iter().chain(persons) {
        let record = match participant.participant_type {
            PartyType::Natural => Record::Person(PersonRecord {
                is_component: false,
                person_type: PersonRecordType::KnownPerson,
                names: vec![legal_name(&participant.name)],
                nationalities: Vec::new(),
                birth_date: participant.birth_date,
            }),
            other => Record::Entity(EntityRecord {
                is_component: false,
                entity_type: entity_type(other),
                name: participant.name.clone(),
                jurisdiction: participant.country.as_deref().map(country),
                identifiers: participant
                    .identifiers
                    .iter()
                    .flatten()
                    .map(identifier)
                    .collect(),
            }),
        };
        writing.party(&participant.id, record);
    }
    for participant in participants {
        let holding = &participant.holding;
        let interest = |interest_type, percent: Option<Percent>| Interest {
            interest_type,
            direct_or_indirect: Directness::Direct,
            beneficial_ownership_or_control: false,
            details: None,
            share: percent.map(exactly),
            start_date: participant.since,
        };
        let mut interests = vec![interest(InterestType::Shareholding, holding.percent)];
        if holding.votes_percent.is_some() {
            interests.push(interest(InterestType::VotingRights, holding.votes_percent));
        }
        writing.relationship(&participant.id, interests);
    }
    writing.statements
}

/// Statements of a declaration of beneficial owners; `None` if there is none.
#[must_use]
pub fn of_owners(
    subject: Subject<'_>,
    status: DeclarationStatus,
    owners: &[BeneficialOwner],
) -> Option<Vec<Statement>> {
    let sources = vec![SourceType::SelfDeclaration, SourceType::OfficialRegister];
    let mut writing = Writing::begin(subject, Register::Jangis, sources);
    match status {
        DeclarationStatus::NotDeclared => return None,
        DeclarationStatus::ExemptState => {
            writing.nobody(UnspecifiedReason::SubjectExemptFromDisclosure);
        }
        DeclarationStatus::CannotBeDetermined => {
            writing.nobody(UnspecifiedReason::SubjectUnableToConfirmOrIdentifyBeneficialOwner);
        }
        DeclarationStatus::Declared => {}
    }
    for owner in owners {
        let person = PersonRecord {
            is_component: false,
            person_type: PersonRecordType::KnownPerson,
            names: vec![legal_name(&owner.name)],
            nationalities: owner
                .nationality
                .iter()
                .flatten()
                .map(|code| country(code))
                .collect(),
            birth_date: owner.birth_date,
        };
        writing.party(&owner.id, Record::Person(person));
    }
    for owner in owners {
        let interests = owner.controls.iter().flatten().map(interest).collect();
        writing.relationship(&owner.id, interests);
    }
    Some(writing.statements)
}

/// A declaration while it is written.
struct Writing<'a> {
    subject: Subject<'a>,
    record_id: String,
    source: Source,
    statements: Vec<Statement>,
}

impl<'a> Writing<'a> {
    fn begin(subject: Subject<'a>, register: Register, source_type: Vec<SourceType>) -> Self {
        let mut writing = Self {
            subject,
            record_id: format!("LT-RC-{}", subject.code),
            source: Source {
                source_type,
                description: register.name().to_owned(),
            },
            statements: Vec::new(),
        };
        let entity = EntityRecord {
            is_component: false,
            entity_type: EntityType {
                kind: EntityTypeCode::RegisteredEntity,
            },
            name: subject.name.to_owned(),
            jurisdiction: Some(country("LT")),
            identifiers: vec![RecordIdentifier {
                id: subject.code.to_string(),
                scheme: "LT-RC".to_owned(),
            }],
        };
        writing.state(writing.record_id.clone(), Record::Entity(entity));
        writing
    }

    fn party(&mut self, id: &str, record: Record) {
        self.state(self.party_id(id), record);
    }

    fn relationship(&mut self, party: &str, interests: Vec<Interest>) {
        let party_id = self.party_id(party);
        let record = RelationshipRecord {
            is_component: false,
            subject: self.record_id.clone(),
            interested_party: InterestedParty::Record(party_id.clone()),
            interests,
        };
        self.state(format!("{party_id}-in"), Record::Relationship(record));
    }

    fn nobody(&mut self, reason: UnspecifiedReason) {
        let record = RelationshipRecord {
            is_component: false,
            subject: self.record_id.clone(),
            interested_party: InterestedParty::Unspecified { reason },
            interests: Vec::new(),
        };
        let id = format!("{}-unspecified", self.record_id);
        self.state(id, Record::Relationship(record));
    }

    fn party_id(&self, id: &str) -> String {
        format!("{}-{id}", self.record_id)
    }

    fn state(&mut self, record_id: String, record: Record) {
        let date = self.subject.stated_on;
        let named = format!("{}\n{record_id}\n{date}", self.source.description);
        self.statements.push(Statement {
            statement_id: hex::encode(Sha256::digest(named)),
            statement_date: date,
            declaration_subject: self.record_id.clone(),
            record_id,
            record,
            publication_details: PublicationDetails {
                publication_date: date,
                bods_version: VERSION.to_owned(),
                publisher: Publisher {
                    name: PUBLISHER.to_owned(),
                },
            },
            source: self.source.clone(),
        });
    }
}

fn interest(control: &Control) -> Interest {
    let bounds = [control.share_exact, control.share_min, control.share_max];
    Interest {
        interest_type: control.nature,
        direct_or_indirect: control.direct_or_indirect,
        beneficial_ownership_or_control: true,
        details: control.details.clone(),
        share: bounds.iter().any(Option::is_some).then_some(Share {
            exact: control.share_exact,
            minimum: control.share_min,
            maximum: control.share_max,
        }),
        start_date: control.since,
    }
}

fn exactly(percent: Percent) -> Share {
    Share {
        exact: Some(percent),
        minimum: None,
        maximum: None,
    }
}

fn entity_type(of: PartyType) -> EntityType {
    let kind = match of {
        PartyType::Legal => EntityTypeCode::RegisteredEntity,
        PartyType::State => EntityTypeCode::State,
        PartyType::Municipality => EntityTypeCode::StateBody,
        PartyType::Natural | PartyType::Unknown => EntityTypeCode::UnknownEntity,
    };
    EntityType { kind }
}

fn legal_name(name: &str) -> PersonName {
    PersonName {
        name_type: NameType::Legal,
        full_name: name.to_owned(),
    }
}

fn identifier(identifier: &Identifier) -> RecordIdentifier {
    RecordIdentifier {
        id: identifier.id.clone(),
        scheme: identifier.scheme.clone(),
    }
}

fn country(code: &str) -> Country {
    let name = match code {
        "DE" => "Germany",
        "EE" => "Estonia",
        "FI" => "Finland",
        "LT" => "Lithuania",
        "LV" => "Latvia",
        "PL" => "Poland",
        "SE" => "Sweden",
        code => code,
    };
    Country {
        name: name.to_owned(),
        code: code.to_owned(),
    }
}
