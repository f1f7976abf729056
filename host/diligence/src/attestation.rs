//! The certified statement on an answer, included in the answer.

use parafa_identification::named_sources;
use parafa_interpretation::Bilingual;
use parafa_register_data::SourceMode;
use parafa_registers::RawAnswer;

/// Returns the statement on an answer made of `answers`, for `attorney` to
/// sign.
pub(crate) fn attestation(attorney: &str, answers: &[RawAnswer]) -> Bilingual {
    let sources = answers.iter();
    let sources = named_sources(sources.map(|answer| (answer.register, answer.retrieved_at)));
    let is_made_up = |answer: &RawAnswer| answer.mode == SourceMode::Synthetic;
    if answers.iter().any(is_made_up) {
        return Bilingual {
            lt: format!(
                "BANDYMAS. Duomenys išgalvoti, registro neklausta: advokatas (advokatė) {attorney} patvirtina tik jų vientisumą. Išgalvotas šaltinis ir gavimo laikas: {sources}. Tai nėra registro išduotas dokumentas."
            ),
            en: format!(
                "TEST. The data are made up and no register was asked: {attorney}, attorney-at-law, certifies their integrity alone. Made-up source and time: {sources}. This is not a document issued by the register."
            ),
        };
    }
    Bilingual {
        lt: format!(
            "Advokatas (advokatė) {attorney} šiuo parašu patvirtina šio atsakymo duomenų („data“) kilmę ir vientisumą: jie nurodytu laiku gauti iš oficialaus šaltinio ir perduodami jų turinio nekeičiant. Šaltinis ir gavimo laikas: {sources}. Šaltinio atsakymo, koks jis gautas, SHA-256 yra „rawSha256“; duomenų dalies, kuri turi savo „source“, – atsakymo, su kuriuo ji gauta. Duomenys pateikiami vienoda forma: asmens kodai neatskleidžiami, sumos apvalintos iki cento, o „bods“ ir „interpretation“ sudaro paslaugos teikėjas. Tai nėra registro išduotas dokumentas."
        ),
        en: format!(
            "By this signature {attorney}, attorney-at-law, certifies the provenance and integrity of the data of this answer (“data”): they were retrieved from the official source at the stated time, and are relayed with their content unmodified. Source and time: {sources}. “rawSha256” is the SHA-256 of the source's answer as it came; of a part of the data with a “source” of its own, that of the answer it came with. The data are in a uniform form: personal codes are withheld, amounts are rounded to the cent, and “bods” and “interpretation” are made by the provider of the service. This is not a document issued by the register."
        ),
    }
}
