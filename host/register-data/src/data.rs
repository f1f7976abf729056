//! The normalized answers, as given to callers.
//!
//! Unknown members are null, never left out, and a list is empty only if the register reports that
//! there is nothing. Dates are `YYYY-MM-DD`, amounts of money decimal strings with two decimals,
//! countries ISO 3166-1 alpha-2, currencies ISO 4217. Persons are shown without their personal
//! codes and only with the month of their birth.

mod amount;
pub mod bods;
mod cases;
mod common;
pub(crate) mod instant;
mod owners;
mod participants;
mod profile;
mod property_extract;
mod real_estate;
mod seizures;

pub use self::{
    amount::{Amount, InvalidAmount, InvalidQuantity, Quantity},
    bods::Statement,
    cases::{
        Case, CaseDocument, CaseInstance, CaseKind, CaseRole, CaseRoleCode, CaseStage, Cases, Court,
    },
    common::{
        BirthMonth, Coded, InvalidBirthMonth, InvalidPercent, Label, Money, Party, PartyType,
        Percent, Withheld,
    },
    owners::{BeneficialOwner, BeneficialOwners, Control, DeclarationStatus, Intermediary},
    participants::{Holding, Identifier, Participant, ParticipantCounts, Participants, ShareClass},
    profile::{
        Activity, BodyKind, BodyMember, Branch, CompanyProfile, FinancialStatements, LegalForm,
        LegalStatus, ManagementBody, NormalizedStatus, PersonType, RegisteredOffice,
        Representation, RepresentationRule, Restriction, ShareCapital, Shares, VatRegistration,
    },
    property_extract::{
        Area, AreaUnit, LegalFact, MarketValue, Mortgage, MortgageKind, Note, OtherRight,
        PropertyExtract, PropertyOwner, RightKind, SeizureMark, SpecialCondition,
    },
    real_estate::{RealEstate, RealEstateItem, RealRight},
    seizures::{
        Authority, AuthorityKind, RestrictedRight, SeizedIdentifier, SeizedProperty, SeizureAct,
        SeizureBasis, SeizureRole, Seizures,
    },
};
