/** A server that is killed while others upload, review, publish and take back loses nothing it acknowledged. */
import { describe, expect, test } from "bun:test";
import type { PresignResponse } from "../../src/library/assets/requests.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import { png, zip } from "../support/assets/media.ts";
import { link, migratedDatabase, programToken, type Server, startServer, until } from "../support/harness.ts";
import { combinations, openPlace } from "../support/library.ts";
import { bytesOf } from "../support/stores/store-sources.ts";
import { openLeft, pages, requireAgreement, settled } from "./agreement.ts";
import { reached, times } from "./promises.ts";

const authorization = `Bearer ${programToken}`;
const json = { authorization, "content-type": "application/json" };
const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

/** What a client was told of one of its assets, and what it asked for without hearing of it. */
interface Receipt {
  title: string;
  sha256: string;
  id?: string;
  status?: string;
  expectedStatus: string;
  removal?: "unpublish" | "delete-files";
}

/** A client: uploads in both ways, replaces, reviews and publishes, until its server is gone. */
async function work(server: Server, name: string, receipts: Receipt[], ended: AbortSignal): Promise<void> {
  const call = async <T>(path: string, init: RequestInit): Promise<T> => {
    const response = await fetch(path.startsWith("http") ? path : `${server.origin}/api/v1${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const post = <T>(path: string, body: unknown, method = "POST") =>
    call<T>(path, { method, headers: json, body: JSON.stringify(body) });
  let newest: string | undefined;
  for (let number = 0; !ended.aborted; number++) {
    const bytes = [
      () => bytesOf(1 + ((number * 7919) % 200_000), number + 1),
      () => zip(pages),
      () => png(8 + number, 8),
    ][number % 3]?.() as Uint8Array;
    const one: Receipt = { title: `${name}-${number}`, sha256: sha256(bytes), expectedStatus: "pending" };
    receipts.push(one);
    const fields = {
      project: "atlas",
      title: one.title,
      ...(number % 4 === 3 && newest && { replaces: newest }),
    };
    try {
      if (number % 2) {
        const form = new FormData();
        for (const [field, value] of Object.entries(fields)) form.append(field, value);
        form.append("file", new File([Uint8Array.from(bytes)], "a.bin"));
        one.id = (
          await call<Asset>("/assets", { method: "POST", headers: { authorization }, body: form })
        ).id;
      } else {
        const reserved = await post<PresignResponse>("/assets", {
          ...fields,
          presign: true,
          filename: "a.bin",
        });
        await fetch(reserved.upload_url, {
          method: "PUT",
          headers: reserved.headers ?? {},
          body: Uint8Array.from(bytes),
        });
        one.id = (await post<Asset>(`/assets/${reserved.id}/finalize`, reserved.finalize_body)).id;
      }
      one.status = "pending";
      newest = one.id;
      const verdict =
        number % 5 === 4 ? { decision: "rejected", note: `Not ${one.title}` } : { decision: "approved" };
      one.expectedStatus = verdict.decision;
      one.status = (await post<Asset>(`/assets/${one.id}/review`, verdict, "PUT")).status;
      if (one.status !== "approved" || number % 3 === 2) continue;
      one.expectedStatus = "published";
      one.status = (await post<Asset>(`/assets/${one.id}/publish`, undefined)).status;
      if (number % 2) continue;
      one.removal = number % 4 ? "unpublish" : "delete-files";
      one.expectedStatus = "approved";
      await post<Asset>(`/assets/${one.id}/${one.removal}`, { reason: one.title });
      one.status = "approved";
    } catch (error) {
      if (!ended.aborted) throw error;
      return;
    }
  }
}

const kills = times("libraryKills");

describe.each(combinations)("a server on $dialect and $place", ({ dialect, place }) => {
  test(`that is killed ${kills} times while others upload, finalize, review, publish, unpublish and delete: rows and bytes agree, nothing told is lost`, async () => {
    await using opened = await openPlace(place);
    await using database = await migratedDatabase(dialect);
    const first = await openLeft(database);
    await link(first, "atlas");
    await first.close();
    const receipts: Receipt[] = [];
    for (let round = 0; round < kills; round++) {
      await using server = await startServer(database, opened.env);
      const ended = new AbortController();
      const clients = Array.from({ length: 3 }, (_, client) =>
        work(server, `${round}-${client}`, receipts, ended.signal),
      );
      const existing = receipts.filter(({ status }) => status).length;
      await Promise.race([
        until(() => receipts.filter(({ status }) => status).length > existing, "a request was acknowledged"),
        ...clients,
      ]);
      await Promise.race([Bun.sleep(Math.random() * 700), ...clients]);
      ended.abort();
      await server.kill();
      await Promise.all(clients);
      await settled(database);
      const data = await openLeft(database);
      const rows = new Map((await requireAgreement(data, opened)).map((row) => [row.title, row]));
      await data.close();
      for (const { title, id, status, expectedStatus, removal, ...said } of receipts) {
        const row = rows.get(title);
        if (removal && status === "approved")
          expect([row?.public_url, row?.key === null]).toEqual([null, removal === "delete-files"]);
        if (id) expect(row).toMatchObject({ id, sha256: said.sha256 });
        if (row) expect([status, expectedStatus, "superseded"]).toContain(row.status);
      }
    }
    expect(receipts.filter(({ status }) => status).length).toBeGreaterThanOrEqual(kills);
    reached("libraryKills", kills);
  });
});
