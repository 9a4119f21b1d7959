/** Ranges of a file that a player reads while the file is taken back, on this node and on another one. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { Asset } from "../../../src/library/assets/schema.ts";
import { dialects, link, migratedDatabase, must, programToken, startServer } from "../../support/harness.ts";
import { openPlace, pathOf } from "../../support/library.ts";

const authorization = `Bearer ${programToken}`;
const reason = "It must go.";
const text = "0123456789";

describe.each(dialects)("on %s", (dialect) => {
  test("a range of a file that was just read is refused once the file is unpublished or deleted", async () => {
    await using database = await migratedDatabase(dialect);
    await using place = await openPlace("disk");
    const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
    await link(data, "atlas");
    await data.close();
    await using first = await startServer(database, place.env);
    await using second = await startServer(database, place.env);
    const post = async (path: string, body: FormData | object, method = "POST") => {
      const isForm = body instanceof FormData;
      const headers = { authorization, ...(!isForm && { "content-type": "application/json" }) };
      const sent = { method, headers, body: isForm ? body : JSON.stringify(body) };
      const response = await fetch(`${first.origin}/api/v1/assets${path}`, sent);
      expect([path, response.status < 300]).toEqual([path, true]);
      return (await response.json()) as Asset;
    };
    const form = new FormData();
    form.append("project", "atlas");
    form.append("file", new File([text], "note.txt"));
    const { id, url } = await post("", form);
    await post(`/${id}/review`, { decision: "approved" }, "PUT");
    const { public_url } = await post(`/${id}/publish`, {});

    /** What both nodes answer to a player, which reads one range after the other. */
    const ranges = async (address: string | null | undefined) => {
      const answers: (string | number)[] = [];
      for (const { origin } of [first, second])
        for (const [start, end] of [
          [0, 1],
          [2, 3],
          [4, 5],
        ]) {
          const response = await fetch(origin + pathOf(must(address)), {
            headers: { range: `bytes=${start}-${end}` },
          });
          answers.push(response.status === 206 ? await response.text() : response.status);
        }
      return answers;
    };
    const all = ["01", "23", "45", "01", "23", "45"];
    const refused = (status: number) => Array(6).fill(status);
    expect([await ranges(url), await ranges(public_url)]).toEqual([all, all]);
    await post(`/${id}/unpublish`, { reason });
    expect([await ranges(url), await ranges(public_url)]).toEqual([all, refused(410)]);
    await post(`/${id}/delete-files`, { reason });
    expect(await ranges(url)).toEqual(refused(404));
  });
});
