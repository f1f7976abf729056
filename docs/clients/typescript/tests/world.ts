// What the tests know: the published vectors, and the demo, whose data folder stands in the folder
// in which they run, as the README has it.

import { readFileSync } from "node:fs";

import type { Clock } from "parafa";

const read = (path: string | URL) => JSON.parse(readFileSync(path, "utf8"));

export const VECTORS = read(new URL("../../../vectors.json", import.meta.url)) as {
    webhook: { secret: string; id: string; timestamp: string; body: string; signature: string };
    card: { dtbs: string; sha256: string };
};

interface Persona {
    country: string;
    personalCode: string;
    methods: string[];
    outcome: string;
}

/** What the demo wrote of itself. */
export function demo() {
    return read("demo/demo.json") as {
        baseUrl: string;
        signing: { test: string };
        diligence: { test: string; live: string };
        auth: { keyId: string; keySecret: string; audience: string };
        world: { roots: string[]; personas: Persona[] };
    };
}

/** Time that passes when somebody sleeps. */
export class FakeClock implements Clock {
    pauses: number[] = [];
    #now = 0;

    now() {
        return this.#now;
    }

    async sleep(milliseconds: number, _?: AbortSignal) {
        this.pauses.push(milliseconds);
        this.#now += milliseconds;
    }
}
