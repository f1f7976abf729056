//! The JAdES plugin: the functions of `parafa-format-jades` behind the contract.

parafa_plugin_sdk::export!(
    about = parafa_format_jades::about,
    inspect = parafa_format_jades::inspect,
    members = parafa_format_jades::members,
    extract = parafa_format_jades::extract,
    sign = parafa_format_jades::sign,
    verify = parafa_format_jades::verify,
    archive = parafa_format_jades::archive,
);
