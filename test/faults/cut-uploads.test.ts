/**
 * Uploads whose sender, or whose server, goes in the middle: nothing of them is to be seen, and the sweep
 * leaves nothing.
 */
import { describe, expect, test } from "bun:test";
import { link, migratedDatabase, programToken, startServer, until } from "../support/harness.ts";
import { openRawConnection } from "../support/http/raw-http.ts";
import { combinations, openPlace } from "../support/library.ts";
import { bytesOf, MiB } from "../support/stores/store-sources.ts";
import { openLeft, requireAgreement } from "./agreement.ts";
import { reached, times } from "./promises.ts";

const rounds = times("cuts");
const size = 3 * MiB;
const bytes = bytesOf(size);

describe.each(combinations)("on $dialect and $place", ({ dialect, place }) => {
  test(`${rounds} uploads that are cut anywhere, by their sender or by the end of the server, are nowhere`, async () => {
    await using opened = await openPlace(place);
    await using database = await migratedDatabase(dialect);
    const data = await openLeft(database);
    await link(data, "atlas");
    await data.close();
    const field = 'Content-Disposition: form-data; name="project"\r\n\r\natlas\r\n';
    const file = 'Content-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
    const form = Buffer.concat([
      Buffer.from(`--b\r\n${field}--b\r\n${file}`),
      bytes,
      Buffer.from("\r\n--b--\r\n"),
    ]);
    for (let round = 0; round < rounds; round++) {
      await using server = await startServer(database, opened.env);
      const line = openRawConnection(server.origin);
      const head = `POST /api/v1/assets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${programToken}\r\n`;
      const length = `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${form.length}\r\n\r\n`;
      await line.send(head + length, form.subarray(0, Math.floor(Math.random() * (form.length - 1))));
      if (round % 2) await server.kill();
      line.close();
      await until(() => line.isClosed(), "the line is cut");
      if (round % 2 === 0) expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
      expect(line.statuses()).toEqual([]);
      if (round % 2 === 0) expect(await server.terminate()).toBe(0);
      const left = await openLeft(database);
      expect(await requireAgreement(left, opened).finally(() => left.close())).toEqual([]);
      reached("cuts");
    }
  });
});
