/** True if `Accept` names `type` with a q value not below that of `standard` (RFC 9110, 12.5.1). */
export function prefersType(accept: string | null, type: string, standard: string): boolean {
  const quality = (wanted: string): number => {
    const range = accept
      ?.split(",")
      .find((item) => item.trim().split(";", 1)[0]?.trim().toLowerCase() === wanted);
    return range ? Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1) : 0;
  };
  const given = quality(type);
  return given > 0 && given >= quality(standard);
}
