//! The hosted page: a shell that says who asks for what, filled by a script
//! that uses the ceremony's JSON calls.

use maud::{DOCTYPE, Markup, html};

use crate::PDF;
use crate::texts::{Texts, local_time};
use crate::views::{EarlierSignature, EarlierSignatures, PageContent};
use crate::vocabulary::{Language, SigningMethod};

/// The page of one link.
#[derive(Debug)]
pub(crate) struct CeremonyPage<'a> {
    /// The link's token.
    pub(crate) token: &'a str,
    /// Language of the page.
    pub(crate) language: Language,
    /// What it shows.
    pub(crate) content: &'a PageContent,
}

impl CeremonyPage<'_> {
    /// The whole page.
    pub(crate) fn render(&self) -> Markup {
        let texts = Texts::of(self.language);
        let base = format!("/c/{}", self.token);
        let document = format!("{base}/document");
        layout(
            self.language,
            texts.page_title,
            &html! {
                header.bar {
                    a.skip href="#main" { (texts.skip_to_content) }
                    span.brand { "Parafa" }
                    a.language lang=(other(self.language).as_str()) href={ (base) "?lang=" (other(self.language).as_str()) } { (texts.other_language) }
                }
                main #main data-base=(base) data-sha256=(self.content.document_sha256) {
                    @if self.content.sandbox {
                        p.sandbox role="note" { (texts.sandbox) }
                    }
                    section.request aria-labelledby="title" {
                        p.asks { strong { (self.content.tenant) } " " (texts.asks_you_to_sign) }
                        h1 #title { (self.content.title) }
                        p.deadline { (texts.sign_by) " " (local_time(self.content.expires_at, self.language)) }
                    }
                    section.document aria-labelledby="document-heading" {
                        h2 #document-heading { (texts.document) ": " (self.content.document_name) }
                        @if self.content.document_mime_type == PDF {
                            iframe.preview src=(document) title=(self.content.document_name) {}
                        } @else {
                            (members(texts))
                        }
                        p { a.button.secondary href=(document) target="_blank" rel="noopener" { (texts.open_document) } }
                        p.digest { (texts.fingerprint) ": " code { (self.content.document_sha256) } }
                    }
                    (self.signatures(texts))
                    section.steps aria-live="polite" {
                        noscript { p.fault { (texts.needs_script) } }
                        p.notice #connection hidden role="status" { (texts.connection_lost) }
                        (self.choose(texts))
                        (waiting(texts))
                        (ended(texts, &document))
                        (decline(texts))
                    }
                }
            },
        )
    }

    /// The advisory validation; nothing where there is no signature.
    fn signatures(&self, texts: &Texts) -> Markup {
        let told = match &self.content.earlier_signatures {
            EarlierSignatures::Known { signatures, .. } if signatures.is_empty() => {
                return Markup::default();
            }
            EarlierSignatures::Known { signatures, more } => html! {
                ul {
                    @for signature in signatures { (self.signature(texts, signature)) }
                }
                @if *more > 0 { p { (texts.more_signatures) " " (more) } }
            },
            EarlierSignatures::Unknown => html! { p.notice { (texts.signatures_unknown) } },
        };
        html! {
            section.signatures aria-labelledby="signatures-heading" {
                h2 #signatures-heading { (texts.signatures) }
                (told)
                p.hint { (texts.signatures_explained) }
            }
        }
    }

    fn signature(&self, texts: &Texts, signature: &EarlierSignature) -> Markup {
        let signer = signature.signer.as_deref().unwrap_or(texts.unnamed_signer);
        let verdict = if signature.intact {
            texts.intact
        } else {
            texts.not_intact
        };
        html! {
            li {
                strong { bdi { (signer) } } ": " (verdict) "; "
                @match signature.claimed_at {
                    Some(time) => { (texts.claimed_time) " " (local_time(time, self.language)) }
                    None => { (texts.no_claimed_time) }
                }
                "; " (texts.level) " " bdi { (signature.level) }
            }
        }
    }

    fn choose(&self, texts: &Texts) -> Markup {
        let methods = &self.content.methods;
        html! {
            form #choose hidden novalidate {
                h2 { (texts.how_to_sign) }
                p.notice #busy hidden role="status" { (texts.busy) }
                p.fault #start-fault hidden role="alert" data-too-many=(texts.too_many_attempts) data-too-many-for=(texts.too_many_attempts_for) data-other=(texts.something_failed) data-busy=(texts.busy) {}
                @if self.content.sandbox {
                    p.notice { (texts.sandbox) }
                } @else if methods.is_empty() {
                    p.fault { (texts.signing_paused) }
                } @else {
                    fieldset.methods {
                        legend { (texts.method) }
                        @for (index, method) in usual_first(methods).enumerate() {
                            (tile(texts, method, index == 0))
                        }
                    }
                    @if methods.iter().any(is_by_code) { (by_code(texts, methods)) }
                    @if methods.contains(&SigningMethod::SmartId) {
                        div.of-method data-methods="smart_id" {
                            p.hint { (texts.or) }
                            button.button.secondary #scan type="button" { (texts.open_app) }
                        }
                    }
                    @if methods.contains(&SigningMethod::Nfc) {
                        div.of-method data-methods="nfc" {
                            p { (texts.card_explained) }
                            button.button #card type="button" { (texts.show_card_code) }
                        }
                    }
                }
            }
        }
    }
}

/// The parts of a container, which the script lists.
fn members(texts: &Texts) -> Markup {
    html! {
        div #members data-main=(texts.main_member) data-attachment=(texts.attachment)
            data-metadata=(texts.metadata) data-fault=(texts.members_unknown) {
            p #members-heading { (texts.members) }
            ul aria-labelledby="members-heading" {}
            iframe.preview hidden {}
        }
    }
}

/// Smart-ID, which most signers have, before the others.
fn usual_first(methods: &[SigningMethod]) -> impl Iterator<Item = SigningMethod> {
    let is_usual = |method: &&SigningMethod| **method == SigningMethod::SmartId;
    let usual = methods.iter().filter(is_usual);
    let others = methods.iter().filter(move |method| !is_usual(method));
    usual.chain(others).copied()
}

/// Whether the signer says who they are before they are asked.
fn is_by_code(method: &SigningMethod) -> bool {
    matches!(method, SigningMethod::SmartId | SigningMethod::MobileId)
}

fn tile(texts: &Texts, method: SigningMethod, is_chosen: bool) -> Markup {
    let name = match method {
        SigningMethod::SmartId => texts.smart_id,
        SigningMethod::MobileId => texts.mobile_id,
        SigningMethod::Nfc => texts.card,
    };
    let id = format!("method-{}", method.as_str());
    html! {
        div.tile {
            input #(id) type="radio" name="method" value=(method.as_str()) checked[is_chosen];
            label for=(id) { (name) }
        }
    }
}

/// What is typed of a person, and the button.
fn by_code(texts: &Texts, methods: &[SigningMethod]) -> Markup {
    html! {
        div.of-method data-methods="smart_id mobile_id" {
            label for="country" { (texts.country) }
            select #country name="country" autocomplete="country" {
                option value="LT" selected { (texts.lithuania) }
                option value="LV" { (texts.latvia) }
                option value="EE" { (texts.estonia) }
            }
            @if methods.contains(&SigningMethod::MobileId) {
                div.of-method data-methods="mobile_id" {
                    label for="phone-number" { (texts.phone_number) }
                    input #phone-number name="phoneNumber" type="tel" autocomplete="tel" required
                        aria-describedby="phone-number-hint phone-number-fault";
                    p.hint #phone-number-hint { (texts.phone_number_hint) }
                    p.fault #phone-number-fault hidden role="alert" { (texts.phone_number_fault) }
                }
            }
            label for="personal-code" { (texts.personal_code) }
            input #personal-code name="personalCode" inputmode="numeric" autocomplete="off" required
                aria-describedby="personal-code-hint personal-code-fault";
            p.hint #personal-code-hint { (texts.personal_code_hint) }
            p.fault #personal-code-fault hidden role="alert" { (texts.personal_code_fault) }
            button.button #sign type="submit" { (texts.sign) }
        }
    }
}

/// The page behind a link that is not active.
pub(crate) fn dead_link(language: Language) -> Markup {
    let texts = Texts::of(language);
    notice(language, texts.dead_link, texts.dead_link_explained)
}

/// The page in place of one that could not be made.
pub(crate) fn trouble(language: Language) -> Markup {
    let texts = Texts::of(language);
    notice(language, texts.trouble, texts.trouble_explained)
}

/// What a browser shows of the address that a card's app is to open.
pub(crate) fn pairing(language: Language, code: &str) -> Markup {
    let texts = Texts::of(language);
    layout(
        language,
        texts.pair_page,
        &html! {
            header.bar { span.brand { "Parafa" } }
            main #main {
                section.request {
                    h1 { (texts.pair_page) }
                    p { (texts.pair_page_explained) }
                    p.code-label { (texts.pairing_code) }
                    p.code { (code) }
                }
            }
        },
    )
}

fn notice(language: Language, heading: &str, explanation: &str) -> Markup {
    layout(
        language,
        heading,
        &html! {
            header.bar { span.brand { "Parafa" } }
            main #main {
                section.request {
                    h1 { (heading) }
                    p { (explanation) }
                }
            }
        },
    )
}

fn waiting(texts: &Texts) -> Markup {
    html! {
        div #waiting hidden {
            h2 tabindex="-1" { (texts.confirm_on_device) }
            div.spinner aria-hidden="true" {}
            p #preparing { (texts.preparing) }
            div #link-box hidden {
                p { (texts.scan_code) }
                img.qr #qr alt=(texts.scan_code) width="280" height="280";
                p { a.button.secondary #same-device hidden { (texts.this_device) } }
            }
            div #pairing-box hidden {
                p { (texts.pair_card) }
                img.qr #pairing-qr alt=(texts.pair_card) width="280" height="280";
                p.code-label { (texts.pairing_code) }
                p.code #pairing-code {}
                p { a.button.secondary #pairing-link { (texts.open_card_app) } }
            }
            div #code-box hidden {
                p.code-label { (texts.verification_code) }
                p.code #verification-code {}
                p { (texts.compare_code) }
            }
            button.button.secondary #give-up type="button" { (texts.give_up) }
        }
        div #completing hidden {
            h2 tabindex="-1" { (texts.completing) }
            div.spinner aria-hidden="true" {}
        }
    }
}

fn ended(texts: &Texts, document: &str) -> Markup {
    html! {
        div #done hidden {
            h2.success tabindex="-1" { (texts.signed) }
            p { (texts.signed_explained) }
            p { a.button #download href=(document) download { (texts.download) } }
        }
        div #failed hidden {
            h2 tabindex="-1" { (texts.not_signed) }
            p.fault #failure {}
            button.button #again type="button" { (texts.try_again) }
        }
        div #declined hidden {
            h2 tabindex="-1" { (texts.declined) }
            p { (texts.declined_explained) }
        }
    }
}

fn decline(texts: &Texts) -> Markup {
    html! {
        details.decline #decline hidden {
            summary { (texts.decline) }
            form #decline-form {
                p { (texts.decline_explained) }
                label for="reason" { (texts.reason) }
                textarea #reason name="reason" maxlength="500" rows="3" {}
                button.button.danger type="submit" { (texts.confirm_decline) }
            }
        }
    }
}

fn layout(language: Language, title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(language.as_str()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) " · Parafa" }
                link rel="icon" type="image/svg+xml" href="/assets/icon.svg";
                link rel="stylesheet" href="/assets/ceremony.css";
                script src="/assets/ceremony.js" defer {}
            }
            body { (body) }
        }
    }
}

fn other(language: Language) -> Language {
    match language {
        Language::En => Language::Lt,
        Language::Lt => Language::En,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(language: Language, earlier_signatures: &EarlierSignatures) -> String {
        page_with(vec![SigningMethod::SmartId], language, earlier_signatures)
    }

    fn page_with(
        methods: Vec<SigningMethod>,
        language: Language,
        earlier_signatures: &EarlierSignatures,
    ) -> String {
        let content = PageContent {
            language,
            tenant: "<b>Tenant</b>".to_owned(),
            title: "<script>alert(1)</script>".to_owned(),
            document_name: "\"><img>.pdf".to_owned(),
            document_mime_type: PDF.to_owned(),
            document_sha256: "00".to_owned(),
            expires_at: "2026-03-15T09:00:00Z".parse().unwrap(),
            methods,
            sandbox: false,
            earlier_signatures: earlier_signatures.clone(),
        };
        let page = CeremonyPage {
            token: "t",
            language,
            content: &content,
        };
        page.render().into_string()
    }

    fn signature(signer: Option<&str>, intact: bool) -> EarlierSignature {
        EarlierSignature {
            signer: signer.map(str::to_owned),
            claimed_at: signer.map(|_| "2026-03-11T09:00:00Z".parse().unwrap()),
            level: "PAdES-B-T".to_owned(),
            intact,
        }
    }

    fn known(signatures: Vec<EarlierSignature>) -> EarlierSignatures {
        EarlierSignatures::Known {
            signatures,
            more: 0,
        }
    }

    #[test]
    fn each_method_has_its_tile_and_what_it_needs_and_the_usual_one_is_chosen() {
        let all = vec![
            SigningMethod::Nfc,
            SigningMethod::SmartId,
            SigningMethod::MobileId,
        ];
        let none = known(Vec::new());
        for (language, card) in [
            (Language::En, "ID card over NFC"),
            (Language::Lt, "Asmens tapatybės kortelė (NFC)"),
        ] {
            let html = page_with(all.clone(), language, &none);
            for shown in [
                "value=\"smart_id\" checked",
                "value=\"nfc\"><label for=\"method-nfc\">",
                "id=\"phone-number\"",
                "id=\"personal-code\"",
                card,
            ] {
                assert!(html.contains(shown), "{shown}: {html}");
            }
        }
        let card_alone = page_with(vec![SigningMethod::Nfc], Language::En, &none);
        assert!(!card_alone.contains("id=\"personal-code\""));
        assert!(card_alone.contains("value=\"nfc\" checked"));
    }

    #[test]
    fn what_a_caller_wrote_is_shown_as_text() {
        let html = page(Language::En, &known(vec![signature(Some("<img>"), true)]));

        assert!(html.contains("&lt;script&gt;alert(1)"));
        assert!(!html.contains("<script>alert"));
        assert!(!html.contains("<img>"));
    }

    #[test]
    fn signatures_that_are_there_are_listed_in_what_is_called_advisory() {
        let earlier_signatures = known(vec![
            signature(Some("PAVARDENIS,VARDENIS"), true),
            signature(None, false),
        ]);
        let english = page(Language::En, &earlier_signatures);
        let lithuanian = page(Language::Lt, &earlier_signatures);

        for shown in [
            "already in the document: advisory check",
            "<strong><bdi>PAVARDENIS,VARDENIS</bdi></strong>: intact; \
             claimed time 2026-03-11 11:00 (Vilnius); level <bdi>PAdES-B-T</bdi>",
            "<strong><bdi>Signer not named</bdi></strong>: not intact; no time given; \
             level <bdi>PAdES-B-T</bdi>",
        ] {
            assert!(english.contains(shown), "{shown}: {english}");
        }
        assert!(lithuanian.contains("informacinis patikrinimas"));
        assert!(lithuanian.contains("VARDENIS</bdi></strong>: nepažeistas"));
    }

    #[test]
    fn signatures_that_were_not_looked_at_are_told_of_and_none_are_not() {
        let unknown = page(Language::En, &EarlierSignatures::Unknown);
        let none = page(Language::En, &known(Vec::new()));

        assert!(unknown.contains("could not be checked now"));
        assert!(unknown.contains("advisory"));
        assert!(!none.contains("advisory"));
    }
}
