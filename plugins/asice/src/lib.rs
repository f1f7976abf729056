//! The ASiC-E plugin: the functions of `parafa-format-asice` behind the
//! contract.

parafa_plugin_sdk::export!(
    about = parafa_format_asice::about,
    inspect = parafa_format_asice::inspect,
    members = parafa_format_asice::members,
    extract = parafa_format_asice::extract,
    sign = parafa_format_asice::sign,
    verify = parafa_format_asice::verify,
    archive = parafa_format_asice::archive,
    rehearse = parafa_format_asice::rehearse,
    compose = parafa_format_asice::compose,
);
