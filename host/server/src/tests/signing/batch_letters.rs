//! Letters about a batch: as few as possible for each signer.

use jiff::SignedDuration;
use parafa_api_signing::requests::CreateBatch;
use parafa_api_signing::{Delivery, SigningOrder};
use parafa_ceremony::records::CeremonyRow;
use parafa_platform::face::{DoneMail, FaceRow};

use crate::tests::support::{
    CALLER, Deployment, Host, PostOffice, SIGN, Site, batch, name_workspace, sign, terms,
};

#[tokio::test]
async fn the_next_signer_of_a_batch_gets_one_letter_with_all_links_that_open() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut batch = SequentialBatch::open(&site, &deployment).await;
    assert_eq!(batch.named_in_next_letter().await, ["a", "b", "c"]);

    batch.first_signs(0).await;
    batch.first_signs(1).await;
    assert_eq!(batch.post.further_letters(), 0, "another link will open");
    batch.first_signs(2).await;

    assert_eq!(batch.named_in_next_letter().await, ["a", "b", "c"]);
    assert_eq!(batch.post.further_letters(), 0);
}

#[tokio::test]
async fn a_signing_of_a_batch_that_ends_holds_up_no_letter_any_more() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut batch = SequentialBatch::open(&site, &deployment).await;
    batch.named_in_next_letter().await;
    batch.first_signs(0).await;
    batch.first_signs(1).await;

    let (app, last) = (&batch.host.app, batch.signings[2].ceremony.id.uuid());
    let erased = app.ceremonies.erase(&CALLER, last).await;
    assert!(erased.unwrap());
    batch.host.run_all().await;

    let letters = [batch.post.letter().await, batch.post.letter().await];
    let [called_off, invited] = ["pirmas", "antras"].map(|to| {
        let to = format!("To: {to}@example.com\n");
        letters.iter().find(|letter| letter.contains(&to))
    });
    assert_eq!(named(called_off.unwrap()), ["c"]);
    assert_eq!(named(invited.unwrap()), ["a", "b"]);
}

#[tokio::test]
async fn the_next_signer_of_a_batch_waits_ten_minutes_for_further_links() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut batch = SequentialBatch::open(&site, &deployment).await;
    batch.named_in_next_letter().await;

    batch.first_signs(0).await;
    site.pass(SignedDuration::from_mins(11));
    batch.host.run_all().await;
    assert_eq!(batch.named_in_next_letter().await, ["a"]);
    batch.first_signs(1).await;
    batch.first_signs(2).await;

    assert_eq!(batch.named_in_next_letter().await, ["b", "c"]);
}

#[tokio::test]
async fn whoever_signed_a_batch_in_turn_gets_one_letter_with_all_of_it_as_the_workspace_chose() {
    let site = Site::start().await;
    for (chosen, attached, linked) in [(DoneMail::Link, 0, 9), (DoneMail::Attach, 3, 0)] {
        let deployment = Deployment::new(&site);
        let mut batch = SequentialBatch::open(&site, &deployment).await;
        let face = FaceRow {
            done_mail: chosen,
            ..FaceRow::none(CALLER.tenant)
        };
        batch.host.put(&face).await;
        for document in 0..3 {
            batch.first_signs(document).await;
        }
        for _invitation in 0..2 {
            batch.named_in_next_letter().await;
        }

        batch.signs(1, 0).await;
        batch.signs(1, 1).await;
        assert_eq!(batch.post.further_letters(), 0, "one is not complete");
        batch.signs(1, 2).await;

        let letters = [batch.post.letter().await, batch.post.letter().await];
        for to in ["pirmas", "antras"] {
            let to = format!("To: {to}@example.com\n");
            let letter = letters.iter().find(|letter| letter.contains(&to));
            let letter = letter.expect("a letter to each of them");
            assert_eq!(named(letter), ["a", "b", "c"], "{chosen:?}");
            let parts: Vec<_> = letter.split("Content-Disposition: attachment").collect();
            assert_eq!(parts.len() - 1, attached, "{chosen:?}");
            // One in the text; in the HTML, one behind a button and one beside
            // it.
            assert_eq!(parts[0].matches("/c/").count(), linked, "{chosen:?}");
        }
        assert_eq!(batch.post.further_letters(), 0, "{chosen:?}");
    }
}

#[tokio::test]
async fn a_workspace_that_wants_no_letter_at_the_end_sends_none_for_a_batch_in_turns() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut batch = SequentialBatch::open(&site, &deployment).await;
    let face = FaceRow {
        done_mail: DoneMail::None,
        ..FaceRow::none(CALLER.tenant)
    };
    batch.host.put(&face).await;
    for document in 0..3 {
        batch.first_signs(document).await;
    }
    for _invitation in 0..2 {
        batch.named_in_next_letter().await;
    }

    for document in 0..3 {
        batch.signs(1, document).await;
    }

    assert_eq!(batch.post.further_letters(), 0);
}

/// A batch of three documents with two sequential signers.
struct SequentialBatch<'s> {
    site: &'s Site,
    post: PostOffice,
    host: Host,
    signings: Vec<CeremonyRow>,
}

impl<'s> SequentialBatch<'s> {
    async fn open(site: &'s Site, deployment: &Deployment<'_>) -> Self {
        let post = PostOffice::open().await;
        post.accept_all();
        let host = post.writing(&deployment.sound_host().await);
        name_workspace(&host).await;
        let request = CreateBatch {
            terms: terms(SigningOrder::Sequential, Delivery::Email),
            ..batch()
        };
        let created = host.post_batch(request).await;
        let signings = created.unwrap().signings.into_iter();
        host.run_all().await;
        Self {
            site,
            post,
            host,
            signings: signings.map(|shown| shown.row().clone()).collect(),
        }
    }

    /// Signs one of the documents as the first signer.
    async fn first_signs(&self, document: usize) {
        self.signs(0, document).await;
    }

    async fn signs(&self, party: usize, document: usize) {
        let signing = &self.signings[document].ceremony;
        let (id, signer) = (signing.id.uuid(), signing.signers[party].id.uuid());
        sign(self.site, &self.host, id, signer, SIGN[party]).await;
        self.host.run_all().await;
    }

    async fn named_in_next_letter(&mut self) -> Vec<&'static str> {
        named(&self.post.letter().await)
    }
}

/// Returns the documents that a letter names, without their extensions.
fn named(letter: &str) -> Vec<&'static str> {
    let names = ["a", "b", "c"].into_iter();
    names
        .filter(|name| letter.contains(&format!("{name}.pdf")))
        .collect()
}
