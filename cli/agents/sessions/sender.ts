/** Sends past runs to a server or a database, in requests of a bounded size. */
import type { BackfillRun } from "../../../src/integrations/backfill/schema.ts";
import type { ApiAccess } from "../../api.ts";
import { ApiError } from "../../client/client.ts";
import { type Skipped, skip } from "./session.ts";

/** Steps of a request, which has at most 100,000 values and 4 MiB. */
const stepsMax = 4_000;
const runsMax = 500;
const triesMax = 5;

export interface Totals {
  accepted: number;
  duplicates: number;
  rejected: number;
}

export class RunSender {
  readonly totals: Totals = { accepted: 0, duplicates: 0, rejected: 0 };
  #runs: BackfillRun[] = [];
  #steps = 0;
  #onSent: (() => void)[] = [];
  #sending: Promise<void> = Promise.resolve();

  constructor(
    readonly api: ApiAccess["api"],
    readonly skipped: Skipped,
  ) {}

  /** @param onSent called once all of these are stored */
  async add(runs: readonly BackfillRun[], onSent: () => void): Promise<void> {
    for (const run of runs)
      for (const part of partsOf(run)) {
        if (this.#steps + part.steps.length > stepsMax || this.#runs.length >= runsMax) await this.#flush();
        this.#runs.push(part);
        this.#steps += part.steps.length;
      }
    this.#onSent.push(onSent);
  }

  /** Sends what is left, and waits. */
  async end(): Promise<void> {
    await this.#flush();
    await this.#sending;
  }

  /** One request is on its way while the next one is read. */
  async #flush(): Promise<void> {
    await this.#sending;
    const [runs, onSent] = [this.#runs, this.#onSent];
    [this.#runs, this.#steps, this.#onSent] = [[], 0, []];
    this.#sending = (async () => {
      if (runs.length > 0) await this.#post(runs);
      for (const done of onSent) done();
    })();
    this.#sending.catch(() => {}); // it is awaited with the next request
  }

  async #post(runs: BackfillRun[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      const { data, error, response } = await this.api.POST("/runs/backfill", { body: { runs } });
      if (data) {
        for (const name of ["accepted", "duplicates", "rejected"] as const) this.totals[name] += data[name];
        if (data.rejected > 0) skip(this.skipped, data.message, data.rejected);
        return;
      }
      const isLater = response.status === 429 || response.status === 503;
      if (!isLater || tries === triesMax)
        throw new ApiError(
          response.status,
          (error as { detail?: string })?.detail ?? `status ${response.status}`,
        );
      await Bun.sleep(1000 * (Number(response.headers.get("retry-after")) || tries));
    }
  }
}

/** A run whose steps fit no request, in parts: only the last one has its end. */
function* partsOf(run: BackfillRun): Generator<BackfillRun> {
  const { ended_at, failed, pr, ...open } = run;
  let first = 0;
  for (; run.steps.length - first > stepsMax; first += stepsMax)
    yield { ...open, steps: run.steps.slice(first, first + stepsMax) };
  yield first === 0 ? run : { ...run, steps: run.steps.slice(first) };
}
