package referee;

import java.util.Optional;

import eu.europa.esig.dss.enumerations.SignatureLevel;

/** The baseline levels, which PAdES, XAdES and JAdES have in common, from the lowest. */
enum Level {
    B, T, LT, LTA;

    /** The level that DSS finds, when it is one of the baseline. */
    static Optional<Level> of(SignatureLevel found) {
        if (found == null) {
            return Optional.empty();
        }
        String[] parts = found.name().split("_BASELINE_");
        return parts.length == 2 ? named(parts[1]) : Optional.empty();
    }

    static Optional<Level> named(String name) {
        for (Level level : values()) {
            if (level.name().equals(name)) {
                return Optional.of(level);
            }
        }
        return Optional.empty();
    }
}
