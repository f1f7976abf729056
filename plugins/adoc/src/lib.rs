//! The ADOC plugin: the functions of `parafa-format-adoc` behind the contract.

parafa_plugin_sdk::export!(
    about = parafa_format_adoc::about,
    inspect = parafa_format_adoc::inspect,
    members = parafa_format_adoc::members,
    extract = parafa_format_adoc::extract,
    sign = parafa_format_adoc::sign,
    verify = parafa_format_adoc::verify,
    rehearse = parafa_format_adoc::rehearse,
    compose = parafa_format_adoc::compose,
);
