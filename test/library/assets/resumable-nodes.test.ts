/** A resumable upload through two servers on one database. */
import { expect, test } from "bun:test";
import type { PresignResponse } from "../../../src/library/assets/requests.ts";
import { pieceType } from "../../support/assets/tus.ts";
import { sha256 } from "../../support/assets/upload-fields.ts";
import { must, startServer } from "../../support/harness.ts";
import { pathOf, places } from "../../support/library.ts";
import { bytesOf } from "../../support/stores/store-sources.ts";
import { openTestServer } from "../../support/test-server.ts";

const bytes = bytesOf(2_000_000);
const half = 1_000_000;

test.each(places)(
  "two nodes with a %s take one of two pieces at an offset, and then the rest",
  async (place) => {
    await using one = await openTestServer("postgres", place);
    await using other = await startServer({ url: must(one.env.SVC_DATABASE_URL) }, one.env);
    const reserved = await one.api<PresignResponse>("POST", "/assets/presign", {
      ...{ project: "atlas", filename: "a.bin" },
    });
    const send = (origin: string, method: string, headers: Record<string, string>, body?: BodyInit) =>
      fetch(origin + pathOf(reserved.resumable_url), {
        ...{ method, headers: { "tus-resumable": "1.0.0", ...headers } },
        ...(body !== undefined && { body }),
      });
    const origins = [one.server.origin, other.origin];
    await send(other.origin, "POST", { "upload-length": String(bytes.length) });
    const patch = async (origin: string, offset: number, end: number) =>
      (
        await send(
          origin,
          "PATCH",
          { ...pieceType, "upload-offset": String(offset) },
          bytes.slice(offset, end),
        )
      ).status;
    const statuses = await Promise.all(origins.map((origin) => patch(origin, 0, half)));
    expect(statuses.toSorted()).toEqual([204, 409]);
    for (const origin of origins)
      expect((await send(origin, "HEAD", {})).headers.get("upload-offset")).toBe(String(half));
    expect(await patch(other.origin, half, bytes.length)).toBe(204);
    const path = `/assets/${reserved.id}/finalize`;
    const asset = await one.api<{ sha256: string }>("POST", path, reserved.finalize_body);
    expect(asset.sha256).toBe(sha256(bytes));
  },
);
