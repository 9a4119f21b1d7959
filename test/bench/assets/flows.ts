/** Reserves, sends and finalizes uploads over several connections at once: a process of its own. */
import type { PresignResponse } from "../../../src/library/assets/requests.ts";

export interface Flows {
  url: string;
  token: string;
  bytes: number;
  connections: number;
  seconds: number;
}

process.on("message", async (flows: Flows) => process.send?.(await run(flows)));

async function run({ url, token, bytes, connections, seconds }: Flows) {
  const file = Buffer.alloc(bytes, "words ");
  const post = async <T>(to: string, body: object): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(to, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${to} answered ${response.status}: ${await response.text()}`);
    return response.json() as T;
  };
  const startCpu = process.cpuUsage();
  const start = performance.now();
  let answers = 0;
  const isOver = () => performance.now() - start > seconds * 1000;
  const work = async () => {
    for (; !isOver(); answers++) {
      const body = { presign: true, project: "atlas", filename: "a.txt" };
      const reserved = await post<PresignResponse>(`${url}/api/v1/assets`, body);
      const { ok, status } = await fetch(reserved.upload_url, {
        ...{ method: "PUT", headers: reserved.headers ?? {}, body: file },
      });
      if (!ok) throw new Error(`${reserved.upload_url} answered ${status}`);
      await post(reserved.finalize_url, reserved.finalize_body);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const took = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(startCpu);
  return { answers, rate: answers / took, busy: (user + system) / 1e6 / took };
}
