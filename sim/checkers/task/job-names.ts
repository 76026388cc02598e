/** Whether a stored value names a job: by its id alone, or by the id as JSON text. */
export function names(value: string, { id }: { readonly id: string }): boolean {
  return value === id || value === JSON.stringify(id);
}
