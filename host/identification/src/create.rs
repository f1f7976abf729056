//! Creation of orders.

use std::sync::Arc;

use parafa_ceremony::forms::{SignerForm, TermsForm};
use parafa_ceremony::opening::{PreparedCeremony, UploadedDocument};
use parafa_ceremony::own_documents::compose;
use parafa_ceremony::quota::Room;
use parafa_ceremony::{CeremonyError, SubjectNotice};
use parafa_domain::{KycOrder, MethodSet, SignerRole, SigningMethod, SigningOrder};
use parafa_platform::accounts::{Caller, KeyMode, TenantRow};
use parafa_platform::agreement::AgreementRow;
use parafa_register_data::EntityCode;
use parafa_store::audit;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use crate::accounts;
use crate::api;
use crate::documents::{self, DossierFacts, purpose_words, role_words};
use crate::error::IdentificationError;
use crate::facts::{Asked, RegisterFacts};
use crate::form::{OrderDelivery, OrderForm};
use crate::privacy::{self, Processing};
use crate::reading::Order;
use crate::records::{OrderPrivate, OrderRow};
use crate::{Identifications, PDF};

/// Days until a subject's deadline.
const DAYS: u16 = 14;
/// Name of the file that the subject signs.
const DOSSIER: &str = "dossier.pdf";
/// All methods of signing.
const METHODS: [SigningMethod; 3] = [
    SigningMethod::SmartId,
    SigningMethod::MobileId,
    SigningMethod::Nfc,
];

/// The requesting workspace.
struct Requester {
    name: String,
    /// Code of the billed entity.
    code: Option<EntityCode>,
}

/// Key and file written before an order's row, which names them.
struct Written {
    data_key: Uuid,
    /// The byte file of the role's holders.
    holders: Uuid,
}

/// An order whose bytes are written and whose rows are not.
struct PreparedOrder {
    /// Reserved quota for the order and for its dossier.
    rooms: [Arc<Room>; 2],
    written: Written,
    row: OrderRow,
    ceremony: PreparedCeremony,
}

impl Identifications {
    /// Creates an order and opens the ceremony in which its subject signs.
    /// `request_id` is the caller's reference in the call log if there is no
    /// order.
    ///
    /// # Errors
    /// [`IdentificationError`]; nothing is stored or charged then.
    pub async fn create(
        &self,
        caller: &Caller,
        form: OrderForm,
        request_id: &str,
    ) -> Result<Order, IdentificationError> {
        if matches!(form.delivery, OrderDelivery::Email(_)) && !self.sends_mail {
            return Err(IdentificationError::NoMail);
        }
        // Registers are not queried for a caller who cannot pay.
        self.records
            .transact(|tx| Box::pin(async move { accounts::check(tx, caller).await }))
            .await?;
        if !self.signer(caller.mode)?.is_in_service() {
            return Err(IdentificationError::SignerOutOfService);
        }
        // Reserves one byte for the dossier, whose length is unknown yet: a
        // caller without any quota is refused before a register is queried.
        let room = self.uploads.room(caller, 1, 1).await?;
        let id = self.records.store.new_id().await?;
        let asked = Asked::by(caller, &form, id, request_id);
        let facts = self.facts(&asked).await?;
        let facts = facts.filter(|facts| !facts.holders.is_empty());
        let facts = facts.ok_or_else(|| IdentificationError::RoleNotHeld {
            role: form.role,
            entity: form.entity.clone(),
        })?;
        let prepared = self.prepare(caller, &form, &facts, id, room).await?;
        let order = Order::opened(self.ceremonies.links(), &prepared.row, &prepared.ceremony);
        if let Err(error) = self.store_order(caller, &prepared, &order).await {
            if error.proves_nothing_stored() {
                self.ceremonies.discard(&prepared.ceremony).await;
                self.discard_written(&prepared.written).await;
            }
            return Err(error);
        }
        self.ceremonies.wake();
        tracing::info!(order.id = %order.id, tenant.id = %caller.tenant, "identification ordered");
        Ok(order)
    }

    async fn prepare(
        &self,
        caller: &Caller,
        form: &OrderForm,
        facts: &RegisterFacts,
        id: Uuid,
        room: Arc<Room>,
    ) -> Result<PreparedOrder, IdentificationError> {
        let requester = self.requester(caller).await?;
        let [role, purpose_words] = [role_words(form.role), purpose_words(form.purpose)];
        let notice = privacy::subject_notice(&Processing {
            requester: &requester.name,
            requester_code: requester.code.as_ref().map(EntityCode::as_str),
            attorney: self.signer(caller.mode)?.signatory(),
            contact: &self.privacy_contact,
            entity_name: &facts.profile.name,
            role,
            purpose: form.purpose,
            purpose_words,
            is_mailed: matches!(form.delivery, OrderDelivery::Email(_)),
            kept_days: self.packages_kept.map(|kept| kept.as_hours() / 24),
        });
        let about = (&requester, &notice);
        let dossier = self.dossier(caller, form, facts, (id, about)).await?;
        let bytes = dossier.content.bytes().len() as u64;
        let rooms = [room, self.uploads.room(caller, bytes, 0).await?];
        let terms = terms(form, &facts.profile.name, notice);
        let written = Written {
            data_key: self.records.store.new_id().await?,
            holders: self.records.store.new_id().await?,
        };
        let key = self.records.keys.create(written.data_key).await?;
        let opened = async {
            let holders = serde_json::to_vec(&facts.holders)
                .map_err(|_| CeremonyError::Inconsistent("holders of a role are no JSON"))?;
            let files = &self.records.files;
            files.write(&key, written.holders, holders.into()).await?;
            let ceremony = self
                .ceremonies
                .prepare(caller, Some(id), dossier, &terms, None);
            Ok::<_, IdentificationError>(ceremony.await?)
        };
        let ceremony = match opened.await {
            Ok(ceremony) => ceremony,
            Err(error) => {
                self.discard_written(&written).await;
                return Err(error);
            }
        };
        let row = order_row(caller, form, (id, &written, &key), &ceremony)?;
        Ok(PreparedOrder {
            rooms,
            written,
            row,
            ceremony,
        })
    }

    async fn discard_written(&self, written: &Written) {
        self.records.discard_bytes(written.holders).await;
        self.records.discard_key(written.data_key).await;
    }

    async fn store_order(
        &self,
        caller: &Caller,
        prepared: &PreparedOrder,
        order: &Order,
    ) -> Result<(), IdentificationError> {
        let subjects = [prepared.row.id, prepared.row.ceremony];
        let answer = || Ok(api::order(order));
        self.idempotency
            .commit(caller.claim, &subjects, answer, |tx| {
                Box::pin(async move {
                    tx.hold(Arc::new(prepared.rooms.clone()));
                    accounts::check(tx, caller).await?;
                    accounts::reserve(tx, caller).await?;
                    tx.insert(&prepared.row).await?;
                    prepared.ceremony.insert(tx).await?;
                    prepared.ceremony.invite(tx).await?;
                    let fields = audit::Fields::new()
                        .reference("tenant", prepared.row.tenant)
                        .reference("ceremony", prepared.row.ceremony);
                    audit::append(tx, prepared.row.id, "kyc.ordered", fields).await?;
                    Ok(())
                })
            })
            .await
    }

    async fn requester(&self, caller: &Caller) -> Result<Requester, IdentificationError> {
        let store = &self.records.store;
        let tenant = store.get::<TenantRow>(&caller.tenant).await?;
        let agreement = store.get::<AgreementRow>(&caller.tenant).await?;
        Ok(Requester {
            name: tenant.map(|tenant| tenant.name).unwrap_or_default(),
            code: agreement.and_then(|agreement| agreement.entity),
        })
    }

    async fn dossier(
        &self,
        caller: &Caller,
        form: &OrderForm,
        facts: &RegisterFacts,
        (order, (requester, notice)): (Uuid, (&Requester, &SubjectNotice)),
    ) -> Result<UploadedDocument, IdentificationError> {
        let description = documents::dossier(&DossierFacts {
            order,
            requester: &requester.name,
            profile: &facts.profile,
            role: form.role,
            purpose: form.purpose,
            sources: &facts.sources(),
            notice,
            sandbox: caller.mode == KeyMode::Test,
        });
        let now = self.records.store.now().await?;
        let plugin = self.pdf(caller.tenant)?;
        Ok(UploadedDocument {
            name: DOSSIER.to_owned(),
            content: compose(&plugin, &description, now).await?.into(),
            media_type: PDF.to_owned(),
            format: plugin.id().to_owned(),
            came_signed: false,
            has_scripts: false,
        })
    }
}

fn terms(form: &OrderForm, entity_name: &str, notice: SubjectNotice) -> TermsForm {
    let email = match &form.delivery {
        OrderDelivery::Email(address) => address.clone(),
        OrderDelivery::Link => String::new(),
    };
    TermsForm {
        title: format!("Tapatybės patvirtinimas / Confirmation of identity: {entity_name}"),
        delivery: form.delivery.of_ceremony(),
        order: SigningOrder::Parallel,
        // The callback reports the order's outcome, not the ceremony's events.
        webhook_url: None,
        external_id: None,
        expires_in_days: DAYS,
        soft_deadline_in_days: None,
        subject_notice: Some(notice),
        signers: vec![SignerForm {
            role: SignerRole::Signer,
            email,
            name: None,
            // The caller does not say, and only the registers know who may sign.
            language: None,
            methods: METHODS.into_iter().collect::<MethodSet>(),
            personal_code: None,
        }],
    }
}

fn order_row(
    caller: &Caller,
    form: &OrderForm,
    (id, written, key): (Uuid, &Written, &DataKey),
    ceremony: &PreparedCeremony,
) -> Result<OrderRow, IdentificationError> {
    let opened = &ceremony.opened;
    let private = OrderPrivate {
        callback_url: form.callback_url.clone(),
        holders: Vec::new(),
    };
    Ok(OrderRow {
        id,
        tenant: caller.tenant,
        mode: caller.mode,
        ordered_with: caller.key,
        order: KycOrder::new(opened.read_at),
        entity: form.entity.clone(),
        role: form.role,
        purpose: form.purpose,
        delivery: form.delivery.of_ceremony(),
        ceremony: opened.id(),
        data_key: written.data_key,
        private: Some(private.seal(key, id)?),
        holders: Some(written.holders),
        created_at: opened.read_at,
        expires_at: opened.row.ceremony.expires_at,
        evidence: None,
        delivered: None,
        erased_at: None,
        pending_deletion: None,
    })
}
