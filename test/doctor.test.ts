/** `svc doctor` says what is wrong, how to mend it, and exits 1 only for errors. */
import { describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileOf, freshDatabase, program, temporaryFolder } from "./harness.ts";
import { startS3 } from "./s3-server.ts";

interface Finding {
  what: string;
  level: "ok" | "warning" | "error";
  said: string;
}

async function doctor(env: Record<string, string>) {
  const { code, output, errors } = await program(["doctor", "--json"], env);
  const findings = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Finding);
  return { code, errors, findings, of: (what: string) => findings.filter((one) => one.what === what) };
}

describe("svc doctor", () => {
  test("exits 0 with warnings: what is not set, what helper is not there", async () => {
    await using database = await freshDatabase("sqlite");
    await using folder = await temporaryFolder();
    const { code, errors, of } = await doctor({ SVC_DATABASE_URL: database.url, SVC_DATA_DIR: folder.path, PATH: folder.path });
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    for (const what of ["database", "clock", "asset store", "public store"]) expect(of(what)[0]).toMatchObject({ level: "ok" });
    expect(of("ffmpeg")).toEqual([{ what: "ffmpeg", level: "warning", said: "not found, so there are no thumbnails of video" }]);
    expect(of("configuration").map((one) => one.said)).toContainEqual(expect.stringContaining("SVC_GITHUB_WEBHOOK_SECRET"));
  });

  test("exits 1 where a store cannot be written, and says what to look at", async () => {
    await using database = await freshDatabase("sqlite");
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, "assets-local"), "a file where the folder has to be");
    const { code, of } = await doctor({ SVC_DATABASE_URL: database.url, SVC_DATA_DIR: folder.path });
    expect(code).toBe(1);
    expect(of("asset store")[0]).toMatchObject({ level: "error", said: expect.stringContaining("check the folder's owner") });
  });

  test("exits 1 on a wrong variable and on a file that is no database, each in one finding", async () => {
    await using database = await freshDatabase("sqlite");
    expect(await doctor({ SVC_DATABASE_URL: database.url, SVC_PORT: "x" })).toMatchObject({
      code: 1,
      findings: [{ what: "configuration", level: "error", said: expect.stringContaining("SVC_PORT") }],
    });
    await writeFile(fileOf(database), "no database");
    expect(await doctor({ SVC_DATABASE_URL: database.url })).toMatchObject({
      code: 1,
      findings: [{ what: "database", level: "error", said: expect.stringContaining("is not a SQLite database") }],
    });
  });

  test("says whether the bucket lets pages of the site send to it, and the rule that would", async () => {
    await using database = await freshDatabase("sqlite");
    const s3 = await startS3({ pages: ["https://svc.example"] });
    const env = {
      ...{ SVC_DATABASE_URL: database.url, SVC_ASSET_STORE: `s3://${s3.place.bucket}`, SVC_PUBLIC_STORE: "none" },
      ...{ S3_ENDPOINT: s3.place.endpoint, S3_REGION: s3.place.region },
      ...{ S3_ACCESS_KEY_ID: s3.place.accessKeyId, S3_SECRET_ACCESS_KEY: s3.place.secretAccessKey },
    };
    const said = async (site: string) => (await doctor({ ...env, SVC_SITE_URL: site })).of("browser upload");
    expect(await said("https://svc.example")).toMatchObject([{ level: "ok" }]);
    expect(await said("https://other.example")).toMatchObject([
      {
        level: "warning",
        said: expect.stringContaining("AllowedOrigins https://other.example, AllowedMethods PUT, AllowedHeaders content-type"),
      },
    ]);
    await s3.close();
  });

  test("names the bucket that does not answer", async () => {
    await using database = await freshDatabase("sqlite");
    const s3 = { S3_ENDPOINT: "http://127.0.0.1:1", S3_ACCESS_KEY_ID: "a", S3_SECRET_ACCESS_KEY: "b" };
    const { code, of } = await doctor({
      SVC_DATABASE_URL: database.url,
      SVC_ASSET_STORE: "s3://things/svc",
      SVC_PUBLIC_STORE: "none",
      ...s3,
    });
    expect(code).toBe(1);
    expect(of("asset store")[0]).toMatchObject({ level: "error", said: expect.stringContaining("s3://things/svc: ") });
    expect(of("public store")[0]).toMatchObject({ level: "warning" });
  });
});
