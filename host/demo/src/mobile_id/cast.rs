//! Persons with Mobile-ID, and the outcomes of asking them. The provider's published numbers of its
//! demo environment, with their outcomes, and two more of the same shape.

use super::session::Task;
use crate::{
    enrolment::Entitlement,
    persona::{KeyType, Method, Outcome, Persona},
    pki::{self, Person, Profile, Validity},
};

/// One person of the demo world.
pub(super) struct Role {
    pub(super) id: &'static str,
    name: (&'static str, &'static str),
    country: &'static str,
    pub(super) personal_code: &'static str,
    pub(super) phone_number: &'static str,
    pub(super) behaviour: Behaviour,
    key: KeyType,
    validity: Validity,
    outcome: Outcome,
}

/// Outcome of asking a person to sign.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Behaviour {
    Signs,
    NeverAnswers,
    /// The session ends with this `result`.
    Ends(&'static str),
}

/// Result for a person without Mobile-ID.
const NOT_CLIENT: Behaviour = Behaviour::Ends("NOT_MID_CLIENT");

impl Role {
    pub(super) fn has_mobile_id(&self) -> bool {
        self.behaviour != NOT_CLIENT
    }

    pub(super) fn persona(&self) -> Persona {
        Persona {
            id: self.id.into(),
            name: format!("{} {}", self.name.0, self.name.1),
            country: self.country.into(),
            personal_code: self.personal_code.into(),
            phone_number: Some(self.phone_number.into()),
            document_number: None,
            methods: vec![Method::MobileId],
            key_type: self.has_mobile_id().then_some(self.key),
            outcome: self.outcome,
        }
    }

    /// Key and certificate of the SIM, for one use.
    pub(super) fn entitlement(&self, task: Task) -> Entitlement {
        let person = Person {
            given_name: self.name.0,
            surname: self.name.1,
            country: self.country,
            personal_code: self.personal_code,
        };
        Entitlement {
            name: self.file_name(task),
            issuer: pki::EID_M,
            key: self.key.spec(),
            profile: match task {
                Task::Signature => Profile::MobileId(person),
                Task::Authentication => Profile::MobileIdAuthentication(person),
            },
            validity: self.validity,
        }
    }

    pub(super) fn file_name(&self, task: Task) -> String {
        match task {
            Task::Signature => format!("mobile-id/{}", self.id),
            Task::Authentication => format!("mobile-id/{}-authentication", self.id),
        }
    }
}

const fn role(
    id: &'static str,
    name: (&'static str, &'static str),
    numbers: (&'static str, &'static str, &'static str),
    behaviour: Behaviour,
    outcome: Outcome,
) -> Role {
    Role {
        id,
        name,
        country: numbers.0,
        personal_code: numbers.2,
        phone_number: numbers.1,
        behaviour,
        key: KeyType::P256,
        validity: Validity::Current,
        outcome,
    }
}

/// All roles, first the one who simply signs.
#[rustfmt::skip]
pub(super) static ROLES: [Role; 15] = [
    role("mobile-id-1", ("Rūta", "Telefonienė"), ("LT", "+37060000666", "50001018865"),
        Behaviour::Signs, Outcome::Signs),
    Role { key: KeyType::Rsa2048, ..role("mobile-id-2", ("Algis", "Šimkūnas"),
        ("LT", "+37060000007", "51001091072"), Behaviour::Signs, Outcome::Signs) },
    role("mobile-id-no-account", ("Kostas", "Beryšis"), ("LT", "+37060000266", "50001018832"),
        NOT_CLIENT, Outcome::NoAccount),
    role("mobile-id-refuses", ("Darius", "Nenorėnas"), ("LT", "+37061100266", "50001018854"),
        Behaviour::Ends("USER_CANCELLED"), Outcome::UserRefused),
    role("mobile-id-sim-error", ("Gintaras", "Kortelis"), ("LT", "+37061200266", "50001018876"),
        Behaviour::Ends("SIM_ERROR"), Outcome::DeviceError),
    role("mobile-id-timeout", ("Henrikas", "Miegantis"), ("LT", "+37066000266", "50001018908"),
        Behaviour::NeverAnswers, Outcome::Timeout),
    Role { validity: Validity::Revoked, ..role("mobile-id-revoked", ("Irena", "Atšauktienė"),
        ("LT", "+37060009901", "49102039911"), Behaviour::Signs, Outcome::Revoked) },
    Role { validity: Validity::Expired, ..role("mobile-id-expired", ("Jurgis", "Senasis"),
        ("LT", "+37060009902", "37909119902"), Behaviour::Signs, Outcome::Expired) },
    role("mobile-id-foreign", ("Mart", "Näidis"), ("EE", "+37200000766", "60001019906"),
        Behaviour::Signs, Outcome::Foreign),
    role("mobile-id-foreign-no-account", ("Tiit", "Numbrita"), ("EE", "+37200000366", "60001019928"),
        NOT_CLIENT, Outcome::NoAccount),
    role("mobile-id-foreign-refuses", ("Peeter", "Keelduja"), ("EE", "+37201100266", "60001019950"),
        Behaviour::Ends("USER_CANCELLED"), Outcome::UserRefused),
    role("mobile-id-absent", ("Kalev", "Levita"), ("EE", "+37213100266", "60001019983"),
        Behaviour::Ends("PHONE_ABSENT"), Outcome::DeviceError),
    role("mobile-id-undelivered", ("Liis", "Saatmata"), ("EE", "+37207110066", "60001019947"),
        Behaviour::Ends("DELIVERY_ERROR"), Outcome::DeviceError),
    role("mobile-id-foreign-sim-error", ("Toomas", "Kaart"), ("EE", "+37201200266", "60001019972"),
        Behaviour::Ends("SIM_ERROR"), Outcome::DeviceError),
    role("mobile-id-hash-mismatch", ("Urmas", "Räsi"), ("EE", "+37200000666", "60001019961"),
        Behaviour::Ends("SIGNATURE_HASH_MISMATCH"), Outcome::DeviceError),
];
