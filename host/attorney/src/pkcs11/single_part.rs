//! `C_Sign` on its own.
//!
//! The `cryptoki` library calls it only together with `C_SignInit`. Between the two, a key that
//! authenticates its user for every use needs a login (PKCS #11 v2.40, 4.9). Mechanisms that sign
//! digests have no other second half.

use std::path::Path;

use cryptoki::context::Function;
use cryptoki::error::{Error, Result, Rv};
use cryptoki::session::Session;
use cryptoki_sys::{CK_BYTE, CK_C_Sign, CK_FUNCTION_LIST, CK_ULONG, Pkcs11};

/// Longest signature, in bytes: of an RSA key of 8192 bits.
const LONGEST: usize = 1024;

/// The function of a module that is loaded already.
pub(super) struct SinglePart {
    sign: CK_C_Sign,
    /// Keeps the library loaded.
    _library: Pkcs11,
}

impl SinglePart {
    /// Finds the function in `module`.
    pub(super) fn of(module: &Path) -> Result<Self> {
        #[expect(
            unsafe_code,
            reason = "the module is in use already, and its table of functions lives as long as it"
        )]
        let (library, sign) = unsafe {
            let library = Pkcs11::new(module)?;
            if library.C_GetFunctionList.is_err() {
                return Err(Error::NullFunctionPointer);
            }
            let mut list: *mut CK_FUNCTION_LIST = std::ptr::null_mut();
            Rv::from(library.C_GetFunctionList(&raw mut list))
                .into_result(Function::GetFunctionList)?;
            let list = list.as_ref().ok_or(Error::NullFunctionPointer)?;
            let sign = list.C_Sign;
            (library, sign)
        };
        Ok(Self {
            sign,
            _library: library,
        })
    }

    /// Signs data for which `session` was initialized. In one call, because a device may take a
    /// query of the length as the one use of a login.
    pub(super) fn sign(&self, session: &Session, data: &[u8]) -> Result<Vec<u8>> {
        let sign = self.sign.ok_or(Error::NullFunctionPointer)?;
        let mut data = data.to_vec();
        let mut value: Vec<CK_BYTE> = vec![0; LONGEST];
        let mut length = CK_ULONG::try_from(LONGEST)?;
        let data_length = CK_ULONG::try_from(data.len())?;
        #[expect(
            unsafe_code,
            reason = "both buffers are as long as their lengths say, and outlive the call"
        )]
        let outcome = unsafe {
            sign(
                session.handle(),
                data.as_mut_ptr(),
                data_length,
                value.as_mut_ptr(),
                &raw mut length,
            )
        };
        Rv::from(outcome).into_result(Function::Sign)?;
        value.truncate(usize::try_from(length)?);
        Ok(value)
    }
}
