#include "contract.h"

void exports_parafa_format_description_describe(exports_parafa_format_description_about_t *about)
{
    static plugin_string_t media_type, extension;
    static parafa_format_types_level_t levels[2];
    static exports_parafa_format_description_ability_t sign;

    media_type = to_text(MEDIA_TYPE);
    extension = to_text("memo");
    levels[0] = to_level(false);
    levels[1] = to_level(true);
    /* The host checks that the output of `sign` begins with one copy of the whole document. */
    sign = (exports_parafa_format_description_ability_t){
        .operation = PARAFA_FORMAT_TYPES_OPERATION_SIGN,
        .preservation = PARAFA_FORMAT_TYPES_PRESERVATION_WHOLE,
        .levels = {levels, 2},
    };
    *about = (exports_parafa_format_description_about_t){
        .id = to_text("memo"),
        .version = to_text("1.0.0"),
        .media_types = {&media_type, 1},
        .extensions = {&extension, 1},
        .abilities = {&sign, 1},
    };
}
