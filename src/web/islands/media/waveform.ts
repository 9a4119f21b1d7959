/** The waveform of an audio file that the server does not decode. */

/** Enough for speech and music to look as they are, and a sixth of the memory of 48 kHz. */
const samplesPerSecond = 8_000;
const pairsMax = 1_000;

/** The whole file is decoded in memory: the page names only those that are small enough. */
export async function decodeWaveform(url: string): Promise<SVGElement> {
  const response = await fetch(url);
  const context = new OfflineAudioContext(1, 1, samplesPerSecond);
  const audio = await context.decodeAudioData(await response.arrayBuffer());
  const channels = Array.from({ length: audio.numberOfChannels }, (_, at) => audio.getChannelData(at));
  return waveformOf(peaksOf(channels, audio.length));
}

type Peak = [low: number, high: number];

function peaksOf(channels: Float32Array[], length: number): Peak[] {
  const pairs = Math.min(pairsMax, length);
  const peaks: Peak[] = Array.from({ length: pairs }, () => [0, 0]);
  for (const samples of channels)
    for (let at = 0; at < length; at++) {
      const peak = peaks[Math.floor((at * pairs) / length)] as Peak;
      const sample = samples[at] as number;
      if (sample < peak[0]) peak[0] = sample;
      else if (sample > peak[1]) peak[1] = sample;
    }
  return peaks;
}

function waveformOf(peaks: Peak[]): SVGElement {
  const make = (name: string) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const y = (sample: number) => Math.round(128 - 127 * Math.min(1, Math.max(-1, sample)));
  const [svg, polygon] = [make("svg"), make("polygon")];
  const highest = peaks.map(([, high], at) => `${at},${y(high)}`);
  const lowest = peaks.map(([low], at) => `${at},${y(low) + 1}`);
  polygon.setAttribute("points", [...highest, ...lowest.toReversed()].join(" "));
  for (const [name, value] of Object.entries({
    class: "waveform",
    viewBox: `0 0 ${peaks.length - 1} 256`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  }))
    svg.setAttribute(name, value);
  svg.append(polygon);
  return svg;
}
