#include "host.h"

#include "contract.h"

bool host_digest(const char *algorithm, struct bytes bytes, struct bytes *digest)
{
    plugin_string_t name = to_text(algorithm);
    plugin_list_u8_t in = to_list(bytes), out;
    parafa_format_crypto_own_hasher_t hasher;
    parafa_format_crypto_crypto_error_t error;
    if (!parafa_format_crypto_static_hasher_create(&name, &hasher, &error))
        return false;
    parafa_format_crypto_borrow_hasher_t borrowed = parafa_format_crypto_borrow_hasher(hasher);
    parafa_format_crypto_method_hasher_update(borrowed, &in);
    parafa_format_crypto_method_hasher_finish(borrowed, &out);
    /* Hosts bound how many there are at once. */
    parafa_format_crypto_hasher_drop_own(hasher);
    *digest = from_list(out);
    return true;
}

enum outcome host_verify(struct bytes key, const char *algorithm, struct bytes digest,
                         struct bytes value)
{
    plugin_list_u8_t key_list = to_list(key), digest_list = to_list(digest);
    plugin_list_u8_t value_list = to_list(value);
    plugin_string_t name = to_text(algorithm);
    parafa_format_crypto_crypto_error_t error;
    bool is_its;
    if (!parafa_format_crypto_verify(&key_list, &name, &digest_list, &value_list, &is_its, &error))
        return UNKNOWN;
    return is_its ? HOLDS : BROKEN;
}
