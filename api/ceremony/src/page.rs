//! The hosted page: a shell that says who asks for what, filled by a script
//! that uses the ceremony's JSON calls.

use maud::{Markup, html};
use parafa_api_http::pages::Layout;

use crate::PDF;
use crate::assets::{page_script, pdf_js};
use crate::messages::Messages;
use crate::views::{EarlierSignature, EarlierSignatures, Member, PageContent, PageMembers};
use crate::vocabulary::{Language, MemberRole, SigningMethod};

/// The page of one link.
#[derive(Debug)]
pub(crate) struct CeremonyPage<'a> {
    /// The link's token.
    pub(crate) token: &'a str,
    /// Language of the page.
    pub(crate) language: Language,
    /// What it shows.
    pub(crate) content: &'a PageContent,
    /// Whether its signer can still sign.
    pub(crate) is_open: bool,
}

impl CeremonyPage<'_> {
    /// The whole page.
    pub(crate) fn render(&self) -> Markup {
        let texts = Messages::of(self.language);
        let base = format!("/c/{}", self.token);
        let document = format!("{base}/document");
        let other = other(self.language);
        let layout = Layout {
            scripts: &[page_script()],
            ..plain(self.language, texts.page_title)
        };
        layout.render(
            &html! {
                a lang=(other.as_str()) href={ (base) "?lang=" (other.as_str()) } { (texts.other_language) }
            },
            &html! {
                main #main tabindex="-1" data-base=(base) data-sha256=(self.content.document_sha256) {
                    @if self.content.sandbox {
                        p.sandbox role="note" { (texts.sandbox) }
                    }
                    section.request aria-labelledby="title" {
                        p.asks { strong { (self.content.tenant) } " " (texts.asks_you_to_sign) }
                        h1 #title { (self.content.title) }
                        p.deadline { (texts.sign_by) " " strong { (texts.local_time(self.content.expires_at)) } }
                    }
                    section.document aria-labelledby="document-heading" {
                        h2 #document-heading { (texts.document) ": " (self.content.document_name) }
                        (self.members(texts, &base))
                        (self.shown(texts, &document))
                        a.button.secondary href=(document) download { (texts.open_document) }
                        details {
                            summary { (texts.details) }
                            p.digest { (texts.fingerprint) ": " code { (self.content.document_sha256) } }
                        }
                    }
                    (self.signatures(texts))
                    section.steps {
                        noscript { (self.without_script(texts)) }
                        div aria-live="polite" {
                            p.notice #connection hidden { (texts.connection_lost) }
                        }
                        (self.choose(texts))
                        (waiting(texts))
                        (ended(texts, &document))
                        // Shown where no script runs: a form needs none.
                        details #decline hidden[!self.is_open] {
                            summary { (texts.decline) }
                            (self.decline_form(texts, &base))
                        }
                    }
                }
            },
        )
    }

    /// What the document is made of, where it is a container.
    fn members(&self, texts: &Messages, base: &str) -> Markup {
        match &self.content.members {
            PageMembers::DocumentItself => Markup::default(),
            PageMembers::Unknown => html! { p.notice { (texts.members_unknown) } },
            PageMembers::Known(members) => html! {
                div #members {
                    p #members-heading { (texts.members) }
                    ul.members aria-labelledby="members-heading" {
                        @for member in members { (listed(texts, base, member)) }
                    }
                }
            },
        }
    }

    /// The place where the document, or a part of it, is drawn.
    fn shown(&self, texts: &Messages, document: &str) -> Markup {
        let is_pdf = self.content.document_mime_type == PDF;
        html! {
            div.viewer #viewer hidden data-library=(pdf_js()) data-document=[is_pdf.then_some(document)]
                data-loading=(texts.viewer_loading) data-failed=(texts.viewer_failed)
                data-locked=(texts.viewer_locked) data-page=(texts.viewer_page)
                data-sheet=(texts.viewer_sheet) {
                div.viewer-bar {
                    output #viewer-status aria-live="off" { (texts.viewer_loading) }
                    button #viewer-out type="button" aria-label=(texts.viewer_out) { "−" }
                    button #viewer-in type="button" aria-label=(texts.viewer_in) { "+" }
                    button.words #viewer-size type="button" aria-pressed="false" { (texts.viewer_large) }
                }
                div.sheets #sheets tabindex="0" role="region" aria-label=(texts.viewer_pages) {}
            }
            p.notice #viewer-fault role="status" hidden {}
        }
    }

    /// What can be done where no script runs.
    fn without_script(&self, texts: &Messages) -> Markup {
        html! {
            @if self.is_open {
                p.fault { (texts.needs_script) }
                p { (texts.script_needed_only_to_sign) }
            } @else {
                p { (texts.already_answered) }
            }
        }
    }

    fn decline_form(&self, texts: &Messages, base: &str) -> Markup {
        let action = format!("{base}/decline?lang={}", self.language.as_str());
        html! {
            form #decline-form method="post" action=(action) {
                p { (texts.decline_explained) }
                label for="reason" { (texts.reason) }
                textarea #reason name="reason" maxlength="500" rows="3" aria-describedby="decline-fault" {}
                p.fault #decline-fault hidden role="alert" data-reason=(texts.reason_fault)
                    data-under-way=(texts.signature_under_way) data-not-sent=(texts.decline_not_sent)
                    data-service=(texts.service_fault) {}
                button.button.danger #confirm-decline type="submit" { (texts.confirm_decline) }
            }
        }
    }

    /// The advisory validation; nothing where there is no signature.
    fn signatures(&self, texts: &Messages) -> Markup {
        let told = match &self.content.earlier_signatures {
            EarlierSignatures::Known { signatures, .. } if signatures.is_empty() => {
                return Markup::default();
            }
            EarlierSignatures::Known { signatures, more } => html! {
                ul {
                    @for signature in signatures { (told(texts, signature)) }
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

    fn choose(&self, texts: &Messages) -> Markup {
        let methods = &self.content.methods;
        html! {
            form #choose hidden novalidate {
                div aria-live="polite" { p.notice #busy hidden { (texts.busy) } }
                p.fault #start-fault hidden role="alert" data-too-many=(texts.too_many_attempts)
                    data-too-many-for=(texts.too_many_attempts_for) data-busy=(texts.busy)
                    data-method=(texts.method_fault) data-not-sent=(texts.not_sent)
                    data-service=(texts.service_fault) data-other=(texts.something_failed) {}
                @if self.content.sandbox {
                    h2 { (texts.how_to_sign) }
                    p.notice { (texts.sandbox) }
                } @else if methods.is_empty() {
                    h2 { (texts.how_to_sign) }
                    p.fault { (texts.signing_paused) }
                } @else {
                    fieldset.methods {
                        legend #choose-heading tabindex="-1" { (texts.how_to_sign) }
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

/// A part of the document: a script draws what it can, and all can be saved.
fn listed(texts: &Messages, base: &str, member: &Member) -> Markup {
    let address = format!("{base}/members/{}", member.id);
    let role = match member.role {
        MemberRole::Main => texts.main_member,
        MemberRole::Attachment => texts.attachment,
        MemberRole::Metadata => texts.metadata,
    };
    let is_pdf = member.mime_type == PDF;
    html! {
        li {
            a href=(address) download=(member.name) data-pdf[is_pdf]
                data-main[member.role == MemberRole::Main] { (member.name) }
            " (" (role) ")"
            @if is_pdf {
                " "
                a.save href=(address) download=(member.name)
                    aria-label={ (texts.save_member) ": " (member.name) } { (texts.save_member) }
            }
        }
    }
}

fn told(texts: &Messages, signature: &EarlierSignature) -> Markup {
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
                Some(time) => { (texts.claimed_time) " " (texts.local_time(time)) }
                None => { (texts.no_claimed_time) }
            }
            "; " (texts.level) " " bdi { (signature.level) }
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

fn tile(texts: &Messages, method: SigningMethod, is_chosen: bool) -> Markup {
    let (name, explained) = match method {
        SigningMethod::SmartId => (texts.smart_id, texts.smart_id_explained),
        SigningMethod::MobileId => (texts.mobile_id, texts.mobile_id_explained),
        SigningMethod::Nfc => (texts.card, texts.card_tile_explained),
    };
    let id = format!("method-{}", method.as_str());
    html! {
        div.tile {
            input #(id) type="radio" name="method" value=(method.as_str()) checked[is_chosen];
            label for=(id) { (name) span { (explained) } }
        }
    }
}

/// What is typed of a person, and the button.
fn by_code(texts: &Messages, methods: &[SigningMethod]) -> Markup {
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
    let texts = Messages::of(language);
    notice(language, texts.dead_link, texts.dead_link_explained)
}

/// The page in place of one that could not be made.
pub(crate) fn trouble(language: Language) -> Markup {
    let texts = Messages::of(language);
    notice(language, texts.trouble, texts.trouble_explained)
}

/// The page once a form has declined.
pub(crate) fn declined(language: Language) -> Markup {
    let texts = Messages::of(language);
    notice(language, texts.declined, texts.declined_explained)
}

/// The page where a form has not declined, and the way back to the link's page.
pub(crate) fn not_declined(language: Language, token: &str, why: &str) -> Markup {
    let texts = Messages::of(language);
    let back = format!("/c/{token}?lang={}", language.as_str());
    alone(
        language,
        texts.not_declined,
        &html! {
            p.fault { (why) }
            a.button.secondary href=(back) { (texts.back_to_page) }
        },
    )
}

/// What a browser shows of the address that a card's app is to open.
pub(crate) fn pairing(language: Language, code: &str) -> Markup {
    let texts = Messages::of(language);
    alone(
        language,
        texts.pair_page,
        &html! {
            @if code.is_empty() {
                p { (texts.pair_page_code_missing) }
            } @else {
                p { (texts.pair_page_explained) }
                p.code-label { (texts.pairing_code) }
                p.code.pairing { (code) }
            }
        },
    )
}

fn notice(language: Language, heading: &str, explanation: &str) -> Markup {
    alone(language, heading, &html! { p { (explanation) } })
}

/// A page of one section that runs no script.
fn alone(language: Language, heading: &str, body: &Markup) -> Markup {
    plain(language, heading).render(
        &Markup::default(),
        &html! {
            main #main tabindex="-1" {
                section.request {
                    h1 { (heading) }
                    (body)
                }
            }
        },
    )
}

fn plain(language: Language, title: &str) -> Layout<'_> {
    Layout {
        language: language.as_str(),
        title,
        skip: Messages::of(language).skip_to_content,
        is_public: false,
        scripts: &[],
        styles: &[],
    }
}

fn waiting(texts: &Messages) -> Markup {
    html! {
        div #waiting hidden {
            h2 tabindex="-1" { (texts.confirm_on_device) }
            div #code-box role="status" hidden {
                p.code-label { (texts.verification_code) }
                p.code #verification-code {}
                p { (texts.compare_code) }
            }
            div #link-box hidden {
                p { a.button #same-device hidden { (texts.this_device) } }
                p { (texts.scan_code) }
                img.qr #qr alt=(texts.scan_code) width="280" height="280";
            }
            div #pairing-box hidden {
                p { a.button #pairing-link { (texts.open_card_app) } }
                p { (texts.pair_card) }
                img.qr #pairing-qr alt=(texts.pair_card) width="280" height="280";
                p.code-label { (texts.pairing_code) }
                p.code #pairing-code {}
            }
            div.progress {
                div.spinner aria-hidden="true" {}
                p #progress role="status"
                    data-certificate=(texts.phase_certificate)
                    data-signing=(texts.preparing)
                    data-waiting=(texts.phase_waiting) {}
            }
            p.fault #give-up-fault hidden role="alert" data-too-late=(texts.give_up_too_late)
                data-failed=(texts.give_up_failed) {}
            button.button.secondary #give-up type="button" { (texts.give_up) }
        }
        div #completing hidden {
            h2 tabindex="-1" { (texts.completing) }
            div.progress {
                div.spinner aria-hidden="true" {}
                p role="status" { (texts.completing_explained) }
            }
        }
    }
}

fn ended(texts: &Messages, document: &str) -> Markup {
    html! {
        div #done hidden {
            h2.success tabindex="-1" { (texts.signed) }
            p { (texts.signed_explained) }
            a.button #download href=(document) download { (texts.download) }
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
            tenant: "<b>Tenant</b>".to_owned(),
            title: "<script>alert(1)</script>".to_owned(),
            document_name: "\"><img>.pdf".to_owned(),
            document_mime_type: PDF.to_owned(),
            document_sha256: "00".to_owned(),
            expires_at: "2026-03-15T09:00:00Z".parse().unwrap(),
            methods,
            sandbox: false,
            earlier_signatures: earlier_signatures.clone(),
            members: PageMembers::DocumentItself,
        };
        let page = CeremonyPage {
            token: "t",
            language,
            content: &content,
            is_open: true,
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
             claimed time 11 March 2026, 11:00 (Vilnius time); level <bdi>PAdES-B-T</bdi>",
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
