/** What is told of a session behind `svc acp`: its reports, in order, and the brief that it was given. */
import type { EventInput } from "../../../src/feed/schema.ts";
import type { SessionEvent } from "../../../src/integrations/agent-hooks/agent-hooks.ts";
import { reportOf } from "../../../src/integrations/agent-hooks/session-report.ts";
import { gitEmail, gitPlace } from "../../repository/git-place.ts";
import { sessionContext } from "../briefs/session-brief.ts";
import { addToSpool, type Report } from "../spool/spool.ts";
import { startSender } from "../spool/start-sender.ts";
import type { KnownAgent } from "./agent-name.ts";
import type { Destination } from "./destination.ts";

export class SessionReports {
  /** Those so far, in order. */
  #written: Promise<void> = Promise.resolve();

  constructor(
    readonly agent: KnownAgent,
    readonly run_id: string,
    readonly folder: string,
    readonly destination: Promise<Destination | null>,
  ) {}

  /** Resolves when the reports so far are on the disk. */
  get written(): Promise<void> {
    return this.#written;
  }

  /** @param counts is added to the summary */
  event(event: SessionEvent, counts = ""): void {
    const at = new Date();
    this.#send(async ({ project }) => {
      const { repo } = gitPlace(this.folder);
      const place = { project, repo: project === null ? repo : null, email: gitEmail(this.folder) };
      const report = reportOf(this.agent, this.run_id, event, place, at);
      return { event: { ...report, summary: report.summary + counts } };
    });
  }

  /** @param key tells it from the other steps of the session */
  step(key: string, fields: Pick<EventInput, "summary" | "cost_equiv" | "duration_ms">): void {
    const at = new Date();
    const { actor, id } = this.agent;
    const hash = new Bun.CryptoHasher("sha256").update(key).digest("hex").slice(0, 16);
    this.#send(async ({ project }) => {
      const { repo } = gitPlace(this.folder);
      return {
        event: {
          kind: "step.usage",
          actor,
          run_id: this.run_id,
          ...fields,
          ...(project === null ? repo !== null && { repo } : { project }),
          ts: at.toISOString(),
          dedupe_key: `acp:${id}:${this.run_id}:${hash}`,
        },
      };
    });
  }

  /** Asks for the brief, and reports which one it is. @returns null without one */
  async brief(): Promise<string | null> {
    const destination = await this.destination;
    if (!destination?.connection) return null;
    const { folder, run_id } = this;
    const { branch } = gitPlace(folder);
    const { text, brief } = await sessionContext(destination.connection, { branch, folder }, run_id, 0);
    if (brief)
      this.#send(async ({ project }) => ({
        brief: {
          project: project as string,
          run_id,
          hash: brief.hash,
          from: brief.from,
          ts: new Date().toISOString(),
        },
      }));
    return text;
  }

  /** Adds a report to the spool, after those before it. A full disk costs the report, and nothing else. */
  #send(make: (destination: Destination) => Promise<Report>): void {
    const before = this.#written;
    const add = async () => {
      await before;
      const destination = await this.destination;
      if (!destination) return;
      const { server, saved } = destination;
      const report = await make(destination);
      addToSpool({ server, connection: saved, branch: gitPlace(this.folder).branch, report });
      startSender();
    };
    this.#written = add().catch(() => {});
  }
}
