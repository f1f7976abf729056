//! The PDF plugin: the functions of `parafa-format-pdf` and of
//! `parafa-format-pdf-compose` behind the contract.

parafa_plugin_sdk::export!(
    about = parafa_format_pdf::about,
    inspect = parafa_format_pdf::inspect,
    sign = parafa_format_pdf::sign,
    verify = parafa_format_pdf::verify,
    archive = parafa_format_pdf::archive,
    flatten = parafa_format_pdf::flatten,
    rehearse = parafa_format_pdf::rehearse,
    compose = parafa_format_pdf_compose::compose,
);
