import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'

/** A directory for the files of a test file, which is removed when its tests are done. */
export function openFolder(): { readonly write: (name: string, content: Buffer | string) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'vehicle-files-'))
  afterAll(() => {
    rmSync(folder, { recursive: true })
  })
  return {
    write: (name, content) => {
      const path = join(folder, name)
      writeFileSync(path, content)
      return path
    },
  }
}

/** A zip file with these files, compressed or, with `store`, as they are. */
export function zipOf(files: Readonly<Record<string, Buffer | string>>, { store = false } = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const plain = Buffer.from(content)
    const data = store ? plain : deflateRawSync(plain)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(store ? 0 : 8, 4)
    common.writeUInt32LE(crc32(plain), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(plain.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = [Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), data]
    const entry = Buffer.alloc(14)
    entry.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), common, entry, Buffer.from(name))
    parts.push(...local)
    offset += local.reduce((sum, part) => sum + part.length, 0)
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Object.keys(files).length, 4)
  end.writeUInt16LE(Object.keys(files).length, 6)
  end.writeUInt32LE(index.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, index, Buffer.from('PK\u0005\u0006'), end])
}

/** Everything that a stream of batches yields. */
export async function collect<T>(batches: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const batch of batches) all.push(batch)
  return all
}
