//! Statements of the Beneficial Ownership Data Standard, version 0.4.

mod writing;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::writing::{Subject, of_owners, of_participants};

/// A statement of a declaration.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    /// Names the statement, 32 to 64 characters.
    pub statement_id: String,
    /// Date of the statement.
    pub statement_date: Date,
    /// The record of the entity that the declaration is about.
    pub declaration_subject: String,
    /// Id of the record that the statement is about.
    pub record_id: String,
    /// Stated record, with its `recordType`.
    #[serde(flatten)]
    pub record: Record,
    /// The publisher.
    pub publication_details: PublicationDetails,
    /// The source.
    pub source: Source,
}

/// Subject of a statement.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(
    tag = "recordType",
    content = "recordDetails",
    rename_all = "lowercase"
)]
pub enum Record {
    /// A legal entity.
    Entity(EntityRecord),
    /// A person.
    Person(PersonRecord),
    /// A relationship: one has interests in another.
    Relationship(RelationshipRecord),
}

/// Publication of a statement.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PublicationDetails {
    /// Date of publication.
    pub publication_date: Date,
    /// `0.4`.
    pub bods_version: String,
    /// The publisher.
    pub publisher: Publisher,
}

/// Publisher of a statement.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Publisher {
    /// Its name.
    pub name: String,
}

/// The source of a statement.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "StatementSource")]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// Its kinds.
    #[serde(rename = "type")]
    pub source_type: Vec<SourceType>,
    /// The register.
    pub description: String,
}

/// Kinds of sources.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SourceType {
    /// The entity itself.
    SelfDeclaration,
    /// A register.
    OfficialRegister,
}

/// A legal entity.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityRecord {
    /// True for a component of an indirect relationship.
    pub is_component: bool,
    /// The type of the entity.
    pub entity_type: EntityType,
    /// Its name.
    pub name: String,
    /// Jurisdiction of the entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jurisdiction: Option<Country>,
    /// Identifiers of the entity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identifiers: Vec<RecordIdentifier>,
}

/// The type of an entity.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct EntityType {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: EntityTypeCode,
}

/// Types of entities.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum EntityTypeCode {
    /// A registered entity.
    RegisteredEntity,
    /// A legal entity that is not known to be registered.
    LegalEntity,
    /// A state.
    State,
    /// A body of a state, a municipality among them.
    StateBody,
    /// Not known.
    UnknownEntity,
}

/// A state.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Country {
    /// Its name, or its code where no name is known.
    pub name: String,
    /// ISO 3166-1 alpha-2.
    pub code: String,
}

/// An identifier of an entity.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct RecordIdentifier {
    /// The identifier.
    pub id: String,
    /// The list by org-id.guide.
    pub scheme: String,
}

/// A person.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PersonRecord {
    /// True for a component of an indirect relationship.
    pub is_component: bool,
    /// The type of the person record.
    pub person_type: PersonRecordType,
    /// The person's names.
    pub names: Vec<PersonName>,
    /// The person's nationalities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nationalities: Vec<Country>,
    /// Year and month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub birth_date: Option<super::BirthMonth>,
}

/// The type of a person record.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PersonRecordType {
    /// The person is known.
    KnownPerson,
}

/// A name of a person.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PersonName {
    /// `legal`.
    #[serde(rename = "type")]
    pub name_type: NameType,
    /// Given names and surname.
    pub full_name: String,
}

/// Kinds of names.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum NameType {
    /// The one in identity documents.
    Legal,
}

/// A relationship: a party has interests in an entity.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RelationshipRecord {
    /// True for a component of an indirect relationship.
    pub is_component: bool,
    /// The record of the entity.
    pub subject: String,
    /// The party that has the interests, or the reason why it is not named.
    pub interested_party: InterestedParty,
    /// The interests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interests: Vec<Interest>,
}

/// The party that has interests.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(untagged)]
pub enum InterestedParty {
    /// The person or entity of this record.
    Record(String),
    /// No party is named.
    Unspecified {
        /// The reason why no party is named.
        reason: UnspecifiedReason,
    },
}

/// The reason why no party is named.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum UnspecifiedReason {
    /// There are none.
    NoBeneficialOwners,
    /// The entity could not find out.
    SubjectUnableToConfirmOrIdentifyBeneficialOwner,
    /// The party did not say.
    InterestedPartyHasNotProvidedInformation,
    /// The entity need not disclose it.
    SubjectExemptFromDisclosure,
    /// The party need not be named.
    InterestedPartyExemptFromDisclosure,
    /// Not known.
    Unknown,
    /// Not known to the publisher.
    InformationUnknownToPublisher,
}

/// An interest.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Interest {
    /// Type of the interest.
    #[serde(rename = "type")]
    pub interest_type: InterestType,
    /// Direct, or through other entities.
    pub direct_or_indirect: Directness,
    /// True if it makes the party a beneficial owner.
    pub beneficial_ownership_or_control: bool,
    /// Description in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// The share, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// Start date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_date: Option<Date>,
}

/// A share, in percent.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Share {
    /// Exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<super::Percent>,
    /// At least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<super::Percent>,
    /// At most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<super::Percent>,
}

/// The directness of an interest.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Directness {
    /// Held without other entities.
    Direct,
    /// Held through other entities.
    Indirect,
    /// Not known.
    Unknown,
}

/// The code list of interests.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the code list of the standard explains them")]
pub enum InterestType {
    Shareholding,
    VotingRights,
    AppointmentOfBoard,
    OtherInfluenceOrControl,
    SeniorManagingOfficial,
    Settlor,
    Trustee,
    Protector,
    BeneficiaryOfLegalArrangement,
    RightsToSurplusAssetsOnDissolution,
    RightsToProfitOrIncome,
    RightsGrantedByContract,
    ConditionalRightsGrantedByContract,
    ControlViaCompanyRulesOrArticles,
    ControlByLegalFramework,
    BoardMember,
    BoardChair,
    UnknownInterest,
    UnpublishedInterest,
    EnjoymentAndUseOfAssets,
    RightToProfitOrIncomeFromAssets,
    Nominee,
    Nominator,
}
