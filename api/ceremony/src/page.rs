//! The hosted page: a shell that names the requester and the document, filled by a script that uses
//! the ceremony's JSON calls.

mod card_app;
mod finished;
mod method_choice;
mod notices;

use maud::{Markup, html};
use parafa_api_http::pages::Layout;

use self::method_choice::{in_usual_order, is_by_code, person_fields, tile};
pub(crate) use self::notices::{Sentence, dead_link, declined, not_declined, pairing, trouble};
use crate::assets::{page_script, pdf_js};
use crate::card_app::CardApp;
use crate::messages::Messages;
use crate::views::{
    EarlierSignature, EarlierSignatures, Member, PageContent, PageMembers, SignatureVerdict,
};
use crate::vocabulary::{Language, MemberRole, SigningMethod};
use crate::{PDF, PICTURES};

/// The page of one link.
#[derive(Debug)]
pub(crate) struct CeremonyPage<'a> {
    /// The link's token.
    pub(crate) token: &'a str,
    /// Language of the page.
    pub(crate) language: Language,
    /// Content.
    pub(crate) content: &'a PageContent,
    /// The app that reads identity cards.
    pub(crate) card_app: Option<&'a CardApp>,
    /// True if its signer can still sign.
    pub(crate) is_open: bool,
}

impl CeremonyPage<'_> {
    /// The whole page.
    pub(crate) fn render(&self) -> Markup {
        let texts = Messages::of(self.language);
        let base = format!("/c/{}", self.token);
        let document = format!("{base}/document");
        let other = other_than(self.language);
        let face = &self.content.face;
        let layout = Layout {
            scripts: &[page_script()],
            styles: &face.styles(&base),
            ..plain(self.language, texts.page_title)
        };
        layout.render(
            &html! {
                a lang=(other.as_str()) href={ (base) "?lang=" (other.as_str()) } { (texts.other_language) }
            },
            &html! {
                main.signing #main tabindex="-1" data-base=(base) data-sha256=(self.content.document_sha256) {
                    @if self.content.sandbox {
                        p.sandbox role="note" { (texts.sandbox) }
                    }
                    section.request aria-labelledby="title" {
                        (face.shown_logo(&base))
                        p.asks #asks data-asked=(texts.asked_you_to_sign) {
                            strong { (face.name()) } " "
                            (if self.is_open { texts.asks_you_to_sign } else { texts.asked_you_to_sign })
                        }
                        (face.registered(texts))
                        h1 #title { (self.content.title) }
                        @if self.is_open {
                            (self.deadlines(texts))
                        }
                        @if self.is_open && !self.content.sandbox {
                            p.until-answered #to-steps { a href="#steps" { (texts.to_signing) } }
                        }
                    }
                    @if self.is_open {
                        (self.document(texts, &base, &document))
                        (self.signatures(texts))
                        (self.parties(texts))
                        (self.subject_notice(texts))
                        (self.steps(texts, &base, &document))
                    } @else {
                        (self.steps(texts, &base, &document))
                        (self.parties(texts))
                        (self.document(texts, &base, &document))
                    }
                }
            },
        )
    }

    /// Requested signing date, and the deadline.
    fn deadlines(&self, texts: &Messages) -> Markup {
        let last = match self.content.wanted_by {
            Some(_) => texts.sign_at_latest,
            None => texts.sign_by,
        };
        let lines = self
            .content
            .wanted_by
            .map(|wanted| (texts.wanted_by, wanted));
        let lines = lines.into_iter().chain([(last, self.content.expires_at)]);
        html! {
            @for (what, time) in lines {
                p.deadline.until-answered { (what) " " strong { (texts.local_time(time)) } }
            }
        }
    }

    fn document(&self, texts: &Messages, base: &str, document: &str) -> Markup {
        html! {
            section.document aria-labelledby="document-heading" {
                h2 #document-heading { (texts.document) ": " (self.content.document_name) }
                (self.members(texts, base))
                (self.viewer(texts, document))
                @if self.content.has_scripts {
                    p.notice role="note" { (texts.document_scripts) }
                }
                @if self.is_open {
                    a.button.secondary.until-answered href=(document) download { (texts.open_document) }
                }
                details {
                    summary { (texts.details) }
                    p.digest { (texts.fingerprint) ": " code { (self.content.document_sha256) } }
                }
            }
        }
    }

    fn steps(&self, texts: &Messages, base: &str, document: &str) -> Markup {
        html! {
            section.steps #steps tabindex="-1" {
                @if self.is_open {
                    noscript {
                        p.fault { (texts.needs_script) }
                        p { (texts.script_needed_only_to_sign) }
                    }
                }
                div aria-live="polite" {
                    p.notice #connection hidden { (texts.connection_lost) }
                }
                (self.choose(texts))
                (waiting(texts, self.card_app))
                (self.done(texts, document))
                (ended_without_signature(texts))
                // Also without scripts: a form needs none.
                details #decline hidden[!self.is_open] {
                    summary { (texts.decline) }
                    (self.decline_form(texts, base))
                }
            }
        }
    }

    /// Members of the document, if it is a container.
    fn members(&self, texts: &Messages, base: &str) -> Markup {
        match &self.content.members {
            PageMembers::DocumentItself => Markup::default(),
            PageMembers::Unknown => html! { p.notice { (texts.members_unknown) } },
            PageMembers::Known(members) => html! {
                div #members {
                    p #members-heading { (texts.members) }
                    ul.members aria-labelledby="members-heading" {
                        @for member in members { (member_row(texts, base, member)) }
                    }
                    @if self.is_open && members.iter().any(is_to_be_saved) {
                        p.notice { (texts.members_not_shown) }
                    }
                    img.picture #member-picture alt="" hidden;
                }
            },
        }
    }

    /// Place where the document, or a member of it, is drawn.
    fn viewer(&self, texts: &Messages, document: &str) -> Markup {
        let is_itself_pdf = self.content.document_mime_type == PDF;
        let is_awaited = match &self.content.members {
            PageMembers::Known(members) => members.iter().any(is_shown_first),
            _ => is_itself_pdf,
        };
        html! {
            div.viewer.awaited[is_awaited] #viewer hidden data-library=(pdf_js()) data-document=[is_itself_pdf.then_some(document)]
                data-loading=(texts.viewer_loading) data-failed=(texts.viewer_failed)
                data-locked=(texts.viewer_locked) data-page=(texts.viewer_page)
                data-sheet=(texts.viewer_sheet) {
                div.viewer-bar {
                    output #viewer-status aria-live="off" { (texts.viewer_loading) }
                    button #viewer-out type="button" aria-label=(texts.viewer_out) { "−" }
                    button #viewer-in type="button" aria-label=(texts.viewer_in) { "+" }
                    button.words #viewer-size type="button" data-large=(texts.viewer_large)
                        data-close=(texts.viewer_close) { (texts.viewer_large) }
                }
                div.sheets #sheets tabindex="0" role="region" aria-label=(texts.viewer_pages) {}
            }
            p.notice #viewer-fault role="status" hidden {}
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

    /// The advisory validation; empty without signatures.
    fn signatures(&self, texts: &Messages) -> Markup {
        let list = match &self.content.earlier_signatures {
            EarlierSignatures::Known { signatures, .. } if signatures.is_empty() => {
                return Markup::default();
            }
            EarlierSignatures::Known { signatures, more } => html! {
                ul {
                    @for signature in signatures { (signature_row(texts, signature)) }
                }
                @if *more > 0 { p { (texts.more_signatures) " " (more) } }
            },
            EarlierSignatures::Unknown => html! { p.notice { (texts.signatures_unknown) } },
        };
        html! {
            section.signatures.until-answered aria-labelledby="signatures-heading" {
                h2 #signatures-heading { (texts.signatures) }
                (list)
                p.hint { (texts.signatures_explained) }
            }
        }
    }

    /// Privacy notice for a signer who is compared with a register.
    fn subject_notice(&self, texts: &Messages) -> Markup {
        let Some(notice) = &self.content.subject_notice else {
            return Markup::default();
        };
        html! {
            section.document aria-labelledby="subject-notice-heading" {
                h2 #subject-notice-heading { (texts.subject_notice) }
                @for paragraph in notice.paragraphs(self.language) { p.hint { (paragraph) } }
            }
        }
    }

    /// Offered methods: cards only if there is an app that reads them.
    fn methods(&self) -> Vec<SigningMethod> {
        let is_offered =
            |method: &SigningMethod| *method != SigningMethod::Nfc || self.card_app.is_some();
        in_usual_order(&self.content.methods)
            .filter(is_offered)
            .collect()
    }

    fn choose(&self, texts: &Messages) -> Markup {
        let methods = &self.methods();
        html! {
            form #choose hidden novalidate {
                div aria-live="polite" { p.notice #busy hidden { (texts.busy) } }
                p.fault #start-fault hidden role="alert" data-too-many=(texts.too_many_attempts)
                    data-too-many-for=(texts.too_many_attempts_for) data-busy=(texts.busy) data-busy-until=(texts.busy_until)
                    data-method=(texts.method_fault) data-not-sent=(texts.not_sent)
                    data-changed=(texts.failed_document_changed)
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
                        @for (index, method) in methods.iter().enumerate() {
                            (tile(texts, *method, index == 0, self.card_app))
                        }
                    }
                    @if methods.iter().any(is_by_code) { (person_fields(texts, methods, self.content.countries())) }
                    @if methods.contains(&SigningMethod::SmartId) {
                        div.of-method data-methods="smart_id" {
                            p.hint.with-touch { (texts.or) }
                            p.hint.with-mouse { (texts.or_by_scanning) }
                            button.button.secondary #scan type="button" { (texts.open_app) }
                        }
                    }
                    @if let Some(app) = self.card_app.filter(|_| methods.contains(&SigningMethod::Nfc)) {
                        (card_app::offered(texts, app))
                    }
                }
            }
        }
    }
}

/// A member of the document: a script shows supported ones, and all can be saved.
fn member_row(texts: &Messages, base: &str, member: &Member) -> Markup {
    let address = format!("{base}/members/{}", member.id);
    // Without its folders.
    let saved_as = member.name.rsplit('/').next().unwrap_or(&member.name);
    let role = match member.role {
        MemberRole::Main => texts.main_member,
        MemberRole::Attachment => texts.attachment,
        MemberRole::Metadata => texts.metadata,
    };
    html! {
        li {
            a href=(address) download=(saved_as) data-pdf[is_pdf(member)]
                data-picture[is_picture(member)] data-main[member.role == MemberRole::Main] { (member.name) }
            " (" (role) ")"
            @if is_shown(member) {
                " "
                a.save href=(address) download=(saved_as)
                    aria-label={ (texts.save_member) ": " (member.name) } { (texts.save_member) }
            }
        }
    }
}

fn is_shown(member: &Member) -> bool {
    is_pdf(member) || is_picture(member)
}

/// Returns true if it is shown as soon as the page is loaded.
fn is_shown_first(member: &Member) -> bool {
    member.role == MemberRole::Main && is_pdf(member)
}

/// Returns true if it has content to read that the page cannot show.
fn is_to_be_saved(member: &Member) -> bool {
    member.role != MemberRole::Metadata && !is_shown(member)
}

fn is_pdf(member: &Member) -> bool {
    member.mime_type == PDF
}

/// Returns true if it is a picture here and wherever it is saved: its name must agree.
fn is_picture(member: &Member) -> bool {
    let name = member.name.to_ascii_lowercase();
    let is_named_so = [".png", ".jpg", ".jpeg"]
        .iter()
        .any(|end| name.ends_with(end));
    is_named_so && PICTURES.contains(&&*member.mime_type)
}

fn signature_row(texts: &Messages, signature: &EarlierSignature) -> Markup {
    let signer = signature.signer.as_deref().unwrap_or(texts.unnamed_signer);
    let verdict = match signature.verdict {
        SignatureVerdict::Intact => texts.intact,
        SignatureVerdict::NotIntact => texts.not_intact,
        SignatureVerdict::Uncheckable => texts.uncheckable,
    };
    html! {
        li {
            strong { bdi { (signer) } } ": " (verdict) "; "
            @match signature.claimed_at {
                Some(time) => { (texts.claimed_time) " " (texts.local_time(time)) }
                None => { (texts.no_claimed_time) }
            }
            @if is_time_stamped(&signature.level) { "; " (texts.time_stamped) }
        }
    }
}

/// Returns true if a baseline level has a time-stamp (ETSI EN 319 102-1, 4.3).
fn is_time_stamped(level: &str) -> bool {
    ["-T", "-LT", "-LTA"].iter().any(|end| level.ends_with(end))
}

fn plain(language: Language, title: &str) -> Layout<'_> {
    Layout {
        language: language.as_str(),
        title,
        description: "",
        skip: Messages::of(language).skip_to_content,
        is_public: false,
        scripts: &[],
        styles: &[],
    }
}

fn waiting(texts: &Messages, card_app: Option<&CardApp>) -> Markup {
    html! {
        div #waiting hidden {
            h2 tabindex="-1" { (texts.confirm_on_device) }
            div #code-box role="status" hidden {
                p.code-label { (texts.verification_code) }
                p.code #verification-code {}
                p #compare data-smart_id=(texts.compare_in_smart_id)
                    data-mobile_id=(texts.compare_in_mobile_id) data-nfc=(texts.compare_in_card_app) {}
            }
            div.to-scan #link-box hidden {
                p.with-touch { a.button #same-device hidden { (texts.this_device) } }
                p.with-touch { (texts.scan_code) }
                p.with-mouse { (texts.scan_with_phone) }
                img.qr #qr alt=(texts.code_to_scan) width="366" height="366";
            }
            div.to-scan #pairing-box hidden {
                @if let Some(app) = card_app { (card_app::pairing_box(texts, app)) }
            }
            p.notice #changed hidden role="alert" { (texts.failed_document_changed) }
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

fn ended_without_signature(texts: &Messages) -> Markup {
    html! {
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

fn other_than(language: Language) -> Language {
    match language {
        Language::En => Language::Lt,
        Language::Lt => Language::En,
    }
}

#[cfg(test)]
mod tests;
