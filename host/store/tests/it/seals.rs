//! Hourly seals over the heads of chains.

use jiff::SignedDuration;
use parafa_store::audit::seal::{
    ProvenChain, Seal, SealFault, prove, seal_next, seals, verify_seal,
};
use parafa_store::audit::{self, Fields, Verdict};
use parafa_store::{Store, StoreError};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::support::{World, on_every_engine};

const CHAIN: Uuid = Uuid::from_u128(7);
const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Delay from the full hour to the sealing of the previous one.
const SETTLED: SignedDuration = SignedDuration::from_mins(10);

/// Appends an event to each chain, in one transaction.
async fn append(store: &Store, chains: &[Uuid], name: &str) {
    store
        .transact(|tx| {
            Box::pin(async move {
                for chain in chains {
                    audit::append(tx, *chain, name, Fields::new()).await?;
                }
                Ok::<_, StoreError>(())
            })
        })
        .await
        .expect("events");
}

async fn sealed(store: &Store) -> Option<Seal> {
    seal_next(store).await.expect("a look at what is unsealed")
}

async fn proven(store: &Store, chain: Uuid) -> ProvenChain {
    prove(store, chain).await.expect("a chain")
}

async fn fault(store: &Store, seal: &Seal) -> Option<SealFault> {
    verify_seal(store, seal).await.expect("a verdict")
}

/// Seals a single event.
async fn one_sealed(world: &World) -> Seal {
    append(&world.store, &[CHAIN], "created").await;
    world.clock.advance(HOUR + SETTLED);
    sealed(&world.store).await.expect("a seal")
}

/// Returns the root at the end of an audit path, as computed by RFC 9162,
/// 2.1.3.2.
fn root_of(proven: &ProvenChain) -> [u8; 32] {
    let (head, proof) = (&proven.head, proven.proof.as_ref().expect("a proof"));
    let sequence = head.sequence.to_be_bytes();
    let mut hash = sha256(&[&[0], head.chain.as_bytes(), &sequence, head.hash.as_bytes()]);
    let (mut at, mut last) = (proof.index, proof.seal.size - 1);
    for beside in &proof.path {
        if at % 2 == 1 || at == last {
            hash = sha256(&[&[1], beside.as_bytes(), &hash]);
            while at.is_multiple_of(2) && at != 0 {
                (at, last) = (at / 2, last / 2);
            }
        } else {
            hash = sha256(&[&[1], &hash, beside.as_bytes()]);
        }
        (at, last) = (at / 2, last / 2);
    }
    hash
}

fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    Sha256::digest(parts.concat()).into()
}

on_every_engine! {
    async fn a_head_is_proven_once_its_hour_is_sealed(world) {
        let store = &world.store;
        append(store, &[CHAIN, Uuid::from_u128(8), Uuid::from_u128(9)], "created").await;
        world.clock.advance(HOUR + SETTLED - SignedDuration::from_secs(1));
        assert_eq!(sealed(store).await, None);
        assert_eq!(proven(store, CHAIN).await.proof, None);

        world.clock.advance(SignedDuration::from_secs(1));
        let seal = sealed(store).await.expect("a seal");

        assert_eq!((seal.number, seal.size), (1, 3));
        for chain in [7, 8, 9].map(Uuid::from_u128) {
            let proven = proven(store, chain).await;
            assert_eq!(proven.events.len(), 1);
            assert_eq!(&root_of(&proven), seal.root.as_bytes());
        }
        assert_eq!(sealed(store).await, None);
        assert_eq!(fault(store, &seal).await, None);
    }

    async fn a_chain_that_goes_on_is_sealed_anew_and_seals_follow_one_another(world) {
        let store = &world.store;
        let first = one_sealed(world).await;
        append(store, &[CHAIN], "signed").await;
        assert_eq!(proven(store, CHAIN).await.proof, None);
        world.clock.advance(HOUR * 30);

        let second = sealed(store).await.expect("a seal");

        assert_eq!((second.number, second.previous), (2, first.hash));
        let proven = proven(store, CHAIN).await;
        assert_eq!(proven.head.sequence, 2);
        assert_eq!(&root_of(&proven), second.root.as_bytes());
        let listed = seals(store, 0, 10).await.expect("the seals");
        assert_eq!(listed, [first, second]);
        for seal in &listed {
            assert_eq!(fault(store, seal).await, None);
        }
    }

    async fn hours_are_sealed_one_by_one_after_a_pause(world) {
        let store = &world.store;
        append(store, &[CHAIN], "created").await;
        world.clock.advance(HOUR);
        append(store, &[Uuid::from_u128(1)], "created").await;
        world.clock.advance(HOUR * 5);

        let hours = [sealed(store).await, sealed(store).await].map(|seal| seal.expect("a seal").hour);

        assert_eq!(hours[1], hours[0] + 1);
        assert_eq!(sealed(store).await, None);
    }

    async fn a_chain_that_comes_late_to_a_sealed_hour_is_under_a_further_seal(world) {
        let store = &world.store;
        let first = one_sealed(world).await;
        world.clock.advance(-(HOUR + SETTLED));
        let [behind, before] = [8, 1].map(Uuid::from_u128);
        append(store, &[behind, before], "created").await;
        assert_eq!(sealed(store).await, None);
        world.clock.advance(HOUR + SETTLED);

        let second = sealed(store).await.expect("a seal");

        assert_eq!((second.hour, second.size), (first.hour, 1));
        assert_eq!(&root_of(&proven(store, behind).await), second.root.as_bytes());
        assert_eq!(proven(store, before).await.proof, None);
        for seal in [first, second] {
            assert_eq!(fault(store, &seal).await, None);
        }
    }

    async fn chains_of_several_rows_have_one_root(world) {
        let store = &world.store;
        let chains: Vec<_> = (1..=600).map(Uuid::from_u128).collect();
        append(store, &chains, "created").await;
        world.clock.advance(HOUR + SETTLED);

        let seal = sealed(store).await.expect("a seal");

        assert_eq!(seal.size, 600);
        for at in [0, 255, 256, 511, 512, 599] {
            let proven = proven(store, chains[at]).await;
            assert_eq!(&root_of(&proven), seal.root.as_bytes(), "leaf {at}");
        }
        assert_eq!(fault(store, &seal).await, None);
    }

    async fn an_hour_is_sealed_by_one_of_two_hosts(world) {
        let store = &world.store;
        append(store, &[CHAIN], "created").await;
        world.clock.advance(HOUR + SETTLED);

        let (one, other) = tokio::join!(sealed(store), sealed(store));

        assert_eq!(usize::from(one.is_some()) + usize::from(other.is_some()), 1);
        assert_eq!(seals(store, 0, 10).await.expect("the seals").len(), 1);
    }

    async fn a_changed_leaf_is_told(world) {
        let seal = one_sealed(world).await;

        world.rewrite("_audit_leaves", "\"sequence\":1", "\"sequence\":2").await;

        assert_eq!(fault(&world.store, &seal).await, Some(SealFault::Leaves));
        assert_eq!(proven(&world.store, CHAIN).await.proof, None);
    }

    async fn a_changed_seal_is_told(world) {
        one_sealed(world).await;

        world.rewrite("_audit_seal", "\"size\":1", "\"size\":2").await;

        let seal = seals(&world.store, 0, 1).await.expect("a seal").remove(0);
        assert_eq!(fault(&world.store, &seal).await, Some(SealFault::Unlinked));
    }

    async fn a_chain_that_was_made_anew_is_told_by_its_seal(world) {
        let seal = one_sealed(world).await;
        for table in ["_audit", "_audit_head"] {
            world.lose_rows(table).await;
        }
        append(&world.store, &[CHAIN], "invented").await;
        let verdict = audit::verify(&world.store, CHAIN).await.expect("a verdict");
        assert!(matches!(verdict, Verdict::Intact(_)));

        let found = fault(&world.store, &seal).await;

        assert_eq!(found, Some(SealFault::Event { chain: CHAIN, sequence: 1 }));
    }

    async fn a_chain_of_an_earlier_program_is_sealed_with_its_next_event(world) {
        let store = &world.store;
        append(store, &[CHAIN], "created").await;
        world.rewrite("_audit_head", ",\"hour\":492320", "").await;
        world.clock.advance(HOUR + SETTLED);
        assert_eq!(sealed(store).await, None);
        assert_eq!(proven(store, CHAIN).await.proof, None);

        append(store, &[CHAIN], "signed").await;
        world.clock.advance(HOUR + SETTLED);

        let seal = sealed(store).await.expect("a seal");
        assert_eq!(&root_of(&proven(store, CHAIN).await), seal.root.as_bytes());
    }
}
