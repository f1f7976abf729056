use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A register or information system of the state.
#[derive(
    Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Register {
    /// Juridinių asmenų registras, the Register of Legal Entities.
    Jar,
    /// Juridinių asmenų dalyvių informacinė sistema: shareholders and members.
    Jadis,
    /// Naudos gavėjai: the part of JADIS with beneficial owners.
    Jangis,
    /// Nekilnojamojo turto registras, the Real Property Register.
    Ntr,
    /// Turto arešto aktų registras, the Register of Property Seizure Acts.
    Taar,
    /// Lietuvos teismų informacinė sistema, the information system of courts.
    Liteko,
    /// Įgaliojimų registras, the Register of Powers of Attorney: procurations
    /// and authorisations.
    Igr,
    /// Mokesčių mokėtojų registras, the tax inspectorate's register of
    /// taxpayers: registrations for VAT, a part of profiles.
    Vmi,
    /// State Data Agency's data on legal entities: economic activities, a part of
    /// profiles.
    Vda,
}

/// Operator of a register.
#[derive(Clone, Copy, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Operator {
    /// Its name in Lithuanian.
    pub name: &'static str,
    /// Its code as a legal entity; null where it is not known for certain.
    pub code: Option<&'static str>,
}

/// Origin of register data.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceMode {
    /// Synthetic data of entities and persons that do not exist.
    Synthetic,
    /// From open data of the state.
    OpenData,
    /// From the register, under a contract with its operator.
    Licensed,
}

impl Register {
    /// Every one.
    pub const ALL: [Self; 9] = [
        Self::Jar,
        Self::Jadis,
        Self::Jangis,
        Self::Ntr,
        Self::Taar,
        Self::Liteko,
        Self::Igr,
        Self::Vmi,
        Self::Vda,
    ];

    /// The abbreviation, in capitals: `JAR`.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Jar => "JAR",
            Self::Jadis => "JADIS",
            Self::Jangis => "JANGIS",
            Self::Ntr => "NTR",
            Self::Taar => "TAAR",
            Self::Liteko => "LITEKO",
            Self::Igr => "IGR",
            Self::Vmi => "VMI",
            Self::Vda => "VDA",
        }
    }

    /// The abbreviation in paths and settings: `jar`.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Jar => "jar",
            Self::Jadis => "jadis",
            Self::Jangis => "jangis",
            Self::Ntr => "ntr",
            Self::Taar => "taar",
            Self::Liteko => "liteko",
            Self::Igr => "igr",
            Self::Vmi => "vmi",
            Self::Vda => "vda",
        }
    }

    /// The Lithuanian name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Jar => "Juridinių asmenų registras",
            Self::Jadis => "Juridinių asmenų dalyvių informacinė sistema",
            Self::Jangis => "Juridinių asmenų naudos gavėjų informacinė sistema",
            Self::Ntr => "Nekilnojamojo turto registras",
            Self::Taar => "Turto arešto aktų registras",
            Self::Liteko => "Lietuvos teismų informacinė sistema",
            Self::Igr => "Įgaliojimų registras",
            Self::Vmi => "Mokesčių mokėtojų registras",
            Self::Vda => "Valstybės duomenų agentūros duomenys apie juridinius asmenis",
        }
    }

    /// Operator of the register.
    #[must_use]
    pub fn operator(self) -> Operator {
        let without_code = |name| Operator { name, code: None };
        match self {
            Self::Liteko => without_code("Nacionalinė teismų administracija"),
            Self::Vmi => without_code(
                "Valstybinė mokesčių inspekcija prie Lietuvos Respublikos finansų ministerijos",
            ),
            Self::Vda => without_code("Valstybės duomenų agentūra"),
            _ => Operator {
                name: "VĮ Registrų centras",
                code: Some("124110246"),
            },
        }
    }
}
