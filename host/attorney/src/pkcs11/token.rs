//! The token with its sessions. Everything here blocks.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::error::{Error, RvError};
use cryptoki::mechanism::Mechanism;
use cryptoki::object::{Attribute, AttributeType, ObjectClass, ObjectHandle};
use cryptoki::session::{Session, UserType};
use cryptoki::slot::Slot;
use cryptoki::types::AuthPin;

use super::Pkcs11Settings;
use super::single_part::SinglePart;
use crate::{KeyAlgorithm, SigningKeyError};

pub(super) struct Token {
    settings: Pkcs11Settings,
    module: Mutex<Option<Pkcs11>>,
    idle: Mutex<Vec<OpenSession>>,
    /// Read lock for callers of the module, write lock for closing it.
    calls: RwLock<()>,
    /// Reason for not logging in again: the token locks itself after a few wrong PINs.
    shut: Mutex<Option<SigningKeyError>>,
}

struct OpenSession {
    session: Session,
    key: ObjectHandle,
    /// Set for a key that authenticates its user for every signature.
    anew: Option<SinglePart>,
}

impl Token {
    pub(super) fn new(settings: Pkcs11Settings) -> Self {
        Self {
            settings,
            module: Mutex::default(),
            idle: Mutex::default(),
            calls: RwLock::default(),
            shut: Mutex::default(),
        }
    }

    /// Signs, in an idle session or a new one.
    pub(super) fn sign(
        &self,
        algorithm: KeyAlgorithm,
        data: &[u8],
    ) -> Result<Vec<u8>, SigningKeyError> {
        self.renewed_at_need(|| self.sign_in_session(algorithm, data))
    }

    /// Opens a session, which finds the key, and keeps it for the first signature.
    pub(super) fn check(&self) -> Result<(), SigningKeyError> {
        self.renewed_at_need(|| {
            let opened = self.open()?;
            locked(&self.idle).push(opened);
            Ok(())
        })
    }

    /// Runs a call on the token, and retries it with the module reloaded: some modules do not
    /// notice a token that is back.
    fn renewed_at_need<T>(
        &self,
        call: impl Fn() -> Result<T, SigningKeyError>,
    ) -> Result<T, SigningKeyError> {
        let try_it = || {
            let _calling = self.calls.read().unwrap_or_else(PoisonError::into_inner);
            call()
        };
        match try_it() {
            Err(SigningKeyError::Unavailable(_)) if self.close() => try_it(),
            tried => tried,
        }
    }

    /// Closes the module unless another thread is calling it and must not be disturbed (PKCS #11
    /// v2.40, 5.4). Returns true if it is closed.
    fn close(&self) -> bool {
        let Ok(_alone) = self.calls.try_write() else {
            return false;
        };
        locked(&self.idle).clear();
        if let Some(module) = locked(&self.module).take()
            && let Err(error) = module.finalize()
        {
            tracing::warn!(%error, "the PKCS #11 module could not be closed");
        }
        true
    }

    fn sign_in_session(
        &self,
        algorithm: KeyAlgorithm,
        data: &[u8],
    ) -> Result<Vec<u8>, SigningKeyError> {
        let mechanism = match algorithm {
            KeyAlgorithm::Rs256 => Mechanism::RsaPkcs,
            KeyAlgorithm::Es256 | KeyAlgorithm::Es384 => Mechanism::Ecdsa,
        };
        let kept = locked(&self.idle).pop();
        if let Some(kept) = kept {
            match self.sign_by(&kept, &mechanism, data) {
                Ok(value) => {
                    locked(&self.idle).push(kept);
                    return Ok(value);
                }
                Err(error) => {
                    tracing::warn!(
                        provider = "attorney's device",
                        remedy = "if this happens often, check the device, its driver and its log",
                        %error,
                        "a session with the key's token is replaced"
                    );
                    // If the PIN is wrong a new session fails alike, and `open` knows that.
                    drop(kept);
                    // The other sessions are as old.
                    locked(&self.idle).clear();
                }
            }
        }
        let opened = self.open()?;
        let value = self.sign_by(&opened, &mechanism, data)?;
        locked(&self.idle).push(opened);
        Ok(value)
    }

    /// Signs in a session; a key that requires it gets another login between `C_SignInit` and
    /// `C_Sign`.
    fn sign_by(
        &self,
        opened: &OpenSession,
        mechanism: &Mechanism<'_>,
        data: &[u8],
    ) -> Result<Vec<u8>, SigningKeyError> {
        let OpenSession { session, key, anew } = opened;
        let value = match anew {
            None => session.sign(mechanism, *key, data),
            Some(single_part) => {
                session
                    .sign_init(mechanism, *key)
                    .map_err(|error| failure(&error))?;
                self.let_in(session, UserType::ContextSpecific, &mut self.shut())?;
                single_part.sign(session, data)
            }
        };
        value.map_err(|error| failure(&error))
    }

    fn shut(&self) -> MutexGuard<'_, Option<SigningKeyError>> {
        locked(&self.shut)
    }

    /// Logs in, one thread at a time: after a wrong PIN, the others do not try it.
    fn let_in(
        &self,
        session: &Session,
        user: UserType,
        shut: &mut Option<SigningKeyError>,
    ) -> Result<(), SigningKeyError> {
        if let Some(error) = &*shut {
            return Err(error.clone());
        }
        let pin = AuthPin::new(self.settings.pin.0.clone().into());
        match session.login(user, Some(&pin)) {
            Ok(()) | Err(Error::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => Ok(()),
            Err(error) => {
                let error = failure(&error);
                if matches!(error, SigningKeyError::Refused(_)) {
                    *shut = Some(error.clone());
                }
                Err(error)
            }
        }
    }

    fn open(&self) -> Result<OpenSession, SigningKeyError> {
        let module = self.module()?;
        let mut shut = self.shut();
        if let Some(error) = &*shut {
            return Err(error.clone());
        }
        let slot = self.slot(&module)?;
        let session = module
            .open_ro_session(slot)
            .map_err(|error| failure(&error))?;
        self.let_in(&session, UserType::User, &mut shut)?;
        let key = self.key(&session)?;
        let anew = match authenticates_anew(&session, key) {
            true => Some(SinglePart::of(&self.settings.module).map_err(|error| failure(&error))?),
            false => None,
        };
        Ok(OpenSession { session, key, anew })
    }

    fn module(&self) -> Result<Pkcs11, SigningKeyError> {
        let mut module = locked(&self.module);
        if let Some(module) = &*module {
            return Ok(module.clone());
        }
        let loaded = Pkcs11::new(&self.settings.module).map_err(|error| failure(&error))?;
        match loaded.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK)) {
            // Another part of this process may have initialized it.
            Ok(()) | Err(Error::Pkcs11(RvError::CryptokiAlreadyInitialized, _)) => {}
            Err(error) => return Err(failure(&error)),
        }
        *module = Some(loaded.clone());
        Ok(loaded)
    }

    fn slot(&self, module: &Pkcs11) -> Result<Slot, SigningKeyError> {
        let slots = module
            .get_slots_with_token()
            .map_err(|error| failure(&error))?;
        let is_ours = |slot: &Slot| {
            let token = module.get_token_info(*slot);
            token.is_ok_and(|token| token.label() == self.settings.token)
        };
        slots.into_iter().find(is_ours).ok_or_else(|| {
            SigningKeyError::Unavailable(format!("there is no token {:?}", self.settings.token))
        })
    }

    fn key(&self, session: &Session) -> Result<ObjectHandle, SigningKeyError> {
        let mut wanted = vec![Attribute::Class(ObjectClass::PRIVATE_KEY)];
        let settings = &self.settings;
        wanted.extend(settings.key_id.clone().map(Attribute::Id));
        let label = settings.key_label.as_ref();
        wanted.extend(label.map(|label| Attribute::Label(label.clone().into_bytes())));
        match session
            .find_objects(&wanted)
            .map_err(|error| failure(&error))?
            .as_slice()
        {
            [key] => Ok(*key),
            [] => Err(SigningKeyError::Unavailable(
                "the token has no such key".to_owned(),
            )),
            _ => Err(SigningKeyError::Refused(
                "the token has several such keys: name its id too".to_owned(),
            )),
        }
    }
}

/// Returns true if a key needs a login for every use (`CKA_ALWAYS_AUTHENTICATE`, PKCS #11 v2.40,
/// 4.9). Modules that do not know the attribute have no such keys.
fn authenticates_anew(session: &Session, key: ObjectHandle) -> bool {
    let read = session.get_attributes(key, &[AttributeType::AlwaysAuthenticate]);
    read.is_ok_and(|read| read.contains(&Attribute::AlwaysAuthenticate(true)))
}

/// Maps a module's error.
fn failure(error: &Error) -> SigningKeyError {
    use RvError as Rv;

    let Error::Pkcs11(value, function) = error else {
        return SigningKeyError::Unavailable(error.to_string());
    };
    let words = format!("{function}: {value:?}");
    match value {
        Rv::PinIncorrect
        | Rv::PinInvalid
        | Rv::PinLenRange
        | Rv::PinExpired
        | Rv::PinLocked
        | Rv::UserPinNotInitialized
        | Rv::UserTypeInvalid
        | Rv::FunctionRejected
        | Rv::KeyFunctionNotPermitted
        | Rv::KeyTypeInconsistent
        | Rv::KeySizeRange
        | Rv::MechanismInvalid => SigningKeyError::Refused(words),
        _ => SigningKeyError::Unavailable(words),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
