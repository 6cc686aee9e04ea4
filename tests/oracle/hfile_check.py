#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Independent HFile v3 reader / validator.

usage: hfile_check.py [--dump] [--max-cells N] [--sample-bloom N] [--quiet]
                      [--strict] FILE [FILE...]

Prints one JSON summary per file on stdout (stderr when --dump is used).
Exit status: 0 = every file is sound, 1 = a violation (reason in JSON "error"),
2 = usage error.  --strict also turns the "differs from what HBase itself would
have written" notes (index-key shortening, bloom sizing, ...) into errors.

No HBase code is used; only the format (see hfile-format.md next to this file).
Needs: zstandard (ZSTD), cramjam or python-snappy (SNAPPY), lz4 (LZ4),
crc32c (optional, a slow table fallback is built in).
"""
import sys, json, struct, zlib, bisect, argparse

M32 = 0xFFFFFFFF
HDR = 33
TRAILER = 4096
LATEST = 0x7FFFFFFFFFFFFFFF
CODECS = {0: 'LZO', 1: 'GZ', 2: 'NONE', 3: 'SNAPPY', 4: 'LZ4', 5: 'BZIP2', 6: 'ZSTD', 7: 'LZMA', 8: 'BROTLI'}
MAGICS = {b'DATABLK*': 'DATA', b'DATABLKE': 'ENCODED_DATA', b'IDXLEAF2': 'LEAF_INDEX',
          b'BLMFBLK2': 'BLOOM_CHUNK', b'METABLKc': 'META', b'IDXINTE2': 'INTERMEDIATE_INDEX',
          b'IDXROOT2': 'ROOT_INDEX', b'FILEINF2': 'FILE_INFO', b'BLMFMET2': 'GENERAL_BLOOM_META',
          b'DFBLMET2': 'DELETE_FAMILY_BLOOM_META'}
ENCODINGS = {0: 'NONE', 2: 'PREFIX', 3: 'DIFF', 4: 'FAST_DIFF', 7: 'ROW_INDEX_V1'}
TYPES = {4: 'Put', 8: 'Delete', 10: 'DeleteFamilyVersion', 12: 'DeleteColumn', 14: 'DeleteFamily'}
HASHES = {0: 'jenkins', 1: 'murmur', 2: 'murmur3'}
COMPARATORS = {'org.apache.hadoop.hbase.KeyValue$KVComparator', 'org.apache.hadoop.hbase.KeyValue$KeyComparator',
               'org.apache.hadoop.hbase.CellComparator', 'org.apache.hadoop.hbase.CellComparatorImpl',
               'org.apache.hadoop.hbase.InnerStoreCellComparator',
               'org.apache.hadoop.hbase.CellComparator$CellComparatorImpl'}
META_COMPARATORS = {'org.apache.hadoop.hbase.KeyValue$MetaComparator', 'org.apache.hadoop.hbase.KeyValue$MetaKeyComparator',
                    'org.apache.hadoop.hbase.MetaCellComparator'}


class Bad(Exception):
    pass


def need(c, msg):
    if not c:
        raise Bad(msg)


# ---------------------------------------------------------------- checksums
try:
    import crc32c as _c
    crc32c = _c.crc32c
except ImportError:
    _T = []
    for _i in range(256):
        _v = _i
        for _ in range(8):
            _v = (_v >> 1) ^ (0x82F63B78 if _v & 1 else 0)
        _T.append(_v)

    def crc32c(data):
        c = M32
        for b in data:
            c = _T[(c ^ b) & 255] ^ (c >> 8)
        return c ^ M32


# ------------------------------------------------------------- decompression
def _snappy(b):
    try:
        import cramjam
        return bytes(cramjam.snappy.decompress_raw(b))
    except ImportError:
        import snappy
        return snappy.uncompress(b)


def _lz4(b, n):
    import lz4.block
    return lz4.block.decompress(b, uncompressed_size=n)


def _zstd(b, n):
    import zstandard
    return zstandard.ZstdDecompressor().decompress(b, max_output_size=max(n, 1))


def decompress(codec, data, usize, st):
    if codec == 'NONE':
        return data
    if codec == 'GZ':
        out = b''
        rest = data
        while rest:
            d = zlib.decompressobj(31)
            out += d.decompress(rest) + d.flush()
            need(d.eof, 'gzip member is truncated')
            rest = d.unused_data
            st['gz_members_max'] = max(st.get('gz_members_max', 0), 1)
        return out
    if codec == 'ZSTD' and data[:4] == b'\x28\xb5\x2f\xfd':
        # bare zstd frames: what Hadoop's native ZStandardCodec reads and writes
        import zstandard
        st['zstd_framing'] = 'bare (Hadoop ZStandardCodec)'
        out = b''
        rest = data
        while rest:
            d = zstandard.ZstdDecompressor().decompressobj()
            out += d.decompress(rest)
            need(d.eof, 'zstd frame is truncated')
            rest = d.unused_data
        return out
    if codec in ('SNAPPY', 'LZ4', 'ZSTD'):
        if codec == 'ZSTD':
            st['zstd_framing'] = 'block (HBase ZstdCodec)'
        # hadoop BlockCompressorStream: repeat { be32 plain length, repeat { be32 packed length, packed } }
        out = bytearray()
        p = 0
        groups = 0
        while p < len(data):
            need(p + 4 <= len(data), 'block framing: short plain-length field')
            (plain,) = struct.unpack_from('>i', data, p)
            p += 4
            need(plain >= 0, 'block framing: negative plain length')
            got = 0
            groups += 1
            nch = 0
            while got < plain:
                need(p + 4 <= len(data), 'block framing: short chunk-length field')
                (cl,) = struct.unpack_from('>i', data, p)
                p += 4
                need(cl > 0 and p + cl <= len(data), 'block framing: chunk of %d bytes does not fit' % cl)
                ch = data[p:p + cl]
                p += cl
                r = _snappy(ch) if codec == 'SNAPPY' else _lz4(ch, plain - got) if codec == 'LZ4' else _zstd(ch, plain - got)
                need(len(r) > 0, 'block framing: empty chunk')
                got += len(r)
                st['codec_chunk_plain_max'] = max(st.get('codec_chunk_plain_max', 0), len(r))
                nch += 1
                out += r
            need(got == plain, 'block framing: chunk sizes do not add up (%d != %d)' % (got, plain))
            st['codec_chunks_max'] = max(st.get('codec_chunks_max', 0), nch)
        st['codec_groups_max'] = max(st.get('codec_groups_max', 0), groups)
        return bytes(out)
    raise Bad('codec %s is not supported by this checker' % codec)


# ------------------------------------------------------------------- varints
def leb(b, p):
    v = s = 0
    while True:
        need(p < len(b), 'varint runs past end')
        x = b[p]
        p += 1
        v |= (x & 127) << s
        s += 7
        if x < 128:
            return v, p


def vlong(b, p):
    """hadoop WritableUtils vlong/vint"""
    need(p < len(b), 'vint runs past end')
    f = b[p]
    if f > 127:
        f -= 256
    if f >= -112:
        return f, p + 1
    n = -(f + 112) if f >= -120 else -(f + 120)
    need(p + 1 + n <= len(b), 'vint runs past end')
    v = int.from_bytes(b[p + 1:p + 1 + n], 'big')
    return (v if f >= -120 else ~v), p + 1 + n


def pb(b):
    """flat protobuf message -> {field: [values]}"""
    r = {}
    p = 0
    while p < len(b):
        t, p = leb(b, p)
        w = t & 7
        if w == 0:
            v, p = leb(b, p)
        elif w == 2:
            n, p = leb(b, p)
            need(p + n <= len(b), 'protobuf field runs past end')
            v = b[p:p + n]
            p += n
        elif w == 1:
            v = struct.unpack_from('<Q', b, p)[0]
            p += 8
        elif w == 5:
            v = struct.unpack_from('<I', b, p)[0]
            p += 4
        else:
            raise Bad('bad protobuf wire type %d' % w)
        r.setdefault(t >> 3, []).append(v)
    return r


# -------------------------------------------------------------------- hashes
def murmur2(d, seed):
    m = 0x5bd1e995
    n = len(d)
    h = (seed ^ n) & M32
    e = n & ~3
    for i in range(0, e, 4):
        k = (int.from_bytes(d[i:i + 4], 'little') * m) & M32
        k ^= k >> 24
        h = ((h * m) ^ (k * m)) & M32
    left = n - e
    if left:                                   # tail bytes are SIGN-extended
        if left >= 3:
            h ^= ((d[e + 2] ^ 128) - 128) << 16
        if left >= 2:
            h ^= ((d[e + 1] ^ 128) - 128) << 8
        h ^= (d[e] ^ 128) - 128
        h = (h * m) & M32
    h ^= h >> 13
    h = (h * m) & M32
    return h ^ (h >> 15)


def _rot(x, k):
    return ((x << k) | (x >> (32 - k))) & M32


def murmur3(d, seed):
    n = len(d)
    e = n & ~3
    h = seed & M32
    for i in range(0, e, 4):
        k = (int.from_bytes(d[i:i + 4], 'little') * 0xcc9e2d51) & M32
        k = (_rot(k, 15) * 0x1b873593) & M32
        h = (_rot(h ^ k, 13) * 5 + 0xe6546b64) & M32
    if n > e:
        k = (int.from_bytes(d[e:], 'little') * 0xcc9e2d51) & M32
        h ^= (_rot(k, 15) * 0x1b873593) & M32
    h ^= n
    h ^= h >> 16
    h = (h * 0x85ebca6b) & M32
    h ^= h >> 13
    h = (h * 0xc2b2ae35) & M32
    return h ^ (h >> 16)


def jenkins(d, seed):
    n = len(d)
    a = b = c = (0xdeadbeef + n + seed) & M32
    o = 0
    while n > 12:
        a = (a + int.from_bytes(d[o:o + 4], 'little')) & M32
        b = (b + int.from_bytes(d[o + 4:o + 8], 'little')) & M32
        c = (c + int.from_bytes(d[o + 8:o + 12], 'little')) & M32
        a = ((a - c) & M32) ^ _rot(c, 4); c = (c + b) & M32
        b = ((b - a) & M32) ^ _rot(a, 6); a = (a + c) & M32
        c = ((c - b) & M32) ^ _rot(b, 8); b = (b + a) & M32
        a = ((a - c) & M32) ^ _rot(c, 16); c = (c + b) & M32
        b = ((b - a) & M32) ^ _rot(a, 19); a = (a + c) & M32
        c = ((c - b) & M32) ^ _rot(b, 4); b = (b + a) & M32
        o += 12
        n -= 12
    if n == 0:
        return c
    t = d[o:] + b'\0' * (12 - n)
    a = (a + int.from_bytes(t[0:4], 'little')) & M32
    b = (b + int.from_bytes(t[4:8], 'little')) & M32
    c = (c + int.from_bytes(t[8:12], 'little')) & M32
    c = ((c ^ b) - _rot(b, 14)) & M32
    a = ((a ^ c) - _rot(c, 11)) & M32
    b = ((b ^ a) - _rot(a, 25)) & M32
    c = ((c ^ b) - _rot(b, 16)) & M32
    a = ((a ^ c) - _rot(c, 4)) & M32
    b = ((b ^ a) - _rot(a, 14)) & M32
    return ((c ^ b) - _rot(b, 24)) & M32


HASHFN = {0: jenkins, 1: murmur2, 2: murmur3}


def bloom_bits(fn, key, k, nbits):
    h1 = fn(key, 0)
    h2 = fn(key, h1)
    out = []
    h = h1
    for _ in range(k):
        out.append((h if h < 0x80000000 else 0x100000000 - h) % nbits)   # |signed h| mod n
        h = (h + h2) & M32
    return out


# ---------------------------------------------------------------------- cells
class Cell:
    __slots__ = ('row', 'fam', 'qual', 'ts', 'type', 'val', 'tags', 'mvcc', 'key')

    def sk(self):
        return (self.row, self.fam, self.qual, -self.ts, -self.type)


_tsf = struct.Struct('>q').unpack_from


def parse_key(k):
    n = len(k)
    if n < 12:
        raise Bad('flat key is only %d bytes' % n)
    rl = k[0] << 8 | k[1]
    if rl > 0x7FFF or rl + 12 > n:
        raise Bad('flat key: row length %d does not fit in key of %d' % (rl, n))
    fl = k[2 + rl]
    e = n - 9
    q = 3 + rl + fl
    if q > e or fl > 127:
        raise Bad('flat key: family length %d does not fit' % fl)
    return k[2:2 + rl], k[3 + rl:q], k[q:e], _tsf(k, e)[0], k[-1]


def mkcell(key, val, tags, mvcc):
    c = Cell()
    c.key = key
    c.row, c.fam, c.qual, c.ts, c.type = parse_key(key)
    c.val = val
    c.tags = tags
    c.mvcc = mvcc
    return c


def flat(row, fam, qual, ts, typ):
    return struct.pack('>H', len(row)) + row + bytes([len(fam)]) + fam + qual + struct.pack('>q', ts) + bytes([typ])


def key_sk(k):
    r, f, q, t, y = parse_key(k)
    return (r, f, q, -t, -y)


def read_plain(b, p, end, tags, mvcc):
    cells = []
    offs = []
    base = p
    while p < end:
        offs.append(p - base)
        need(p + 8 <= end, 'cell header runs past end of block')
        kl, vl = struct.unpack_from('>ii', b, p)
        if kl < 12 or vl < 0 or p + 8 + kl + vl > end:
            raise Bad('cell key/value length %d/%d does not fit' % (kl, vl))
        p += 8
        key = b[p:p + kl]
        p += kl
        val = b[p:p + vl]
        p += vl
        tg = b''
        if tags:
            need(p + 2 <= end, 'tags length runs past end of block')
            tl = b[p] << 8 | b[p + 1]
            p += 2
            need(p + tl <= end, 'tags run past end of block')
            tg = b[p:p + tl]
            p += tl
        m = 0
        if mvcc:
            m, p = vlong(b, p)
            need(p <= end, 'mvcc runs past end of block')
        cells.append(mkcell(key, val, tg, m))
    need(p == end, 'cells do not end at the end of the block')
    return cells, offs


def undict_tags(b, p, total, d):
    out = bytearray()
    while len(out) < total:
        s = b[p]
        p += 1
        if s == 0xFF:
            n, p = leb(b, p)
            t = b[p:p + n]
            p += n
            d.append(t)
        else:
            i = s << 8 | b[p]
            p += 1
            need(i < len(d), 'tag dictionary index %d out of range' % i)
            t = d[i]
        out += struct.pack('>H', len(t)) + t
    need(len(out) == total, 'compressed tags do not add up')
    return bytes(out), p


def trailing(b, p, tags, mvcc, tdict):
    tg = b''
    if tags:
        tl, p = leb(b, p)
        if tl:
            if tdict is not None:
                tg, p = undict_tags(b, p, tl, tdict)
            else:
                tg = b[p:p + tl]
                p += tl
    m = 0
    if mvcc:
        m, p = vlong(b, p)
    return tg, m, p


def read_encoded(b, enc, tags, mvcc, tagcomp):
    need(len(b) >= 2, 'encoded block too short')
    eid = b[0] << 8 | b[1]
    need(ENCODINGS.get(eid) == enc, 'block says encoding id %d, file says %s' % (eid, enc))
    if enc == 'ROW_INDEX_V1':
        need(len(b) >= 10, 'ROW_INDEX_V1 block too short')
        (dsize,) = struct.unpack_from('>i', b, len(b) - 4)
        need(0 < dsize <= len(b) - 10, 'ROW_INDEX_V1: data size %d' % dsize)
        cells, offs = read_plain(b, 2, 2 + dsize, tags, mvcc)
        (nrow,) = struct.unpack_from('>i', b, 2 + dsize)
        need(2 + dsize + 4 + 4 * nrow + 4 == len(b), 'ROW_INDEX_V1: row index does not end at block end')
        ro = list(struct.unpack_from('>%di' % nrow, b, 2 + dsize + 4))
        want = [o for i, o in enumerate(offs) if i == 0 or cells[i].row != cells[i - 1].row]
        need(ro == want, 'ROW_INDEX_V1: row offsets do not point at the first cell of each row')
        return cells
    (plain,) = struct.unpack_from('>i', b, 2)
    p = 6
    cells = []
    usz = 0
    prev = None
    tdict = [] if tagcomp else None
    fam = None
    while p < len(b):
        if enc == 'PREFIX':
            kl, p = leb(b, p)
            vl, p = leb(b, p)
            cm, p = leb(b, p)
            need(cm <= (len(prev.key) if prev else 0), 'PREFIX: common prefix too long')
            key = (prev.key[:cm] if prev else b'') + b[p:p + kl]
            p += kl
            val = b[p:p + vl]
            p += vl
        elif enc == 'FAST_DIFF':
            fl = b[p]
            p += 1
            if prev is None:
                need(fl == 0, 'FAST_DIFF: first cell has flag %d' % fl)
            if not fl & 8:
                kl, p = leb(b, p)
            else:
                kl = len(prev.key)
            if not fl & 16:
                vl, p = leb(b, p)
            else:
                vl = len(prev.val)
            cm, p = leb(b, p)
            if prev is None:
                need(cm == 0, 'FAST_DIFF: first cell has a common prefix')
                key = b[p:p + kl]
                p += kl
            else:
                body = prev.key[:cm]
                prl = 2 + len(prev.row)
                if cm < prl:                    # rest of row, (family skipped), qualifier
                    if cm < 2:
                        body += b[p:p + 2 - cm]
                        p += 2 - cm
                    rl = body[0] << 8 | body[1]
                    n = 2 + rl - len(body)
                    need(n >= 0, 'FAST_DIFF: common prefix longer than row')
                    body += b[p:p + n]
                    p += n
                    body += bytes([len(prev.fam)]) + prev.fam
                n = kl - 9 - len(body)
                need(n >= 0, 'FAST_DIFF: key length too small')
                body += b[p:p + n]
                p += n
                tc = fl & 7
                ts = prev.key[-9:-9 + tc] + b[p:p + 8 - tc]
                p += 8 - tc
                if fl & 32:
                    ty = prev.key[-1:]
                else:
                    ty = b[p:p + 1]
                    p += 1
                key = body + ts + ty
            if fl & 64:
                val = prev.val
                need(vl == len(val), 'FAST_DIFF: same-value flag with another length')
            else:
                val = b[p:p + vl]
                p += vl
        elif enc == 'DIFF':
            if prev is None:
                n = b[p]
                fam = b[p + 1:p + 1 + n]
                p += 1 + n
            fl = b[p]
            p += 1
            if not fl & 1:
                kl, p = leb(b, p)
            else:
                kl = len(prev.key)
            if not fl & 2:
                vl, p = leb(b, p)
            else:
                vl = len(prev.val)
            cm, p = leb(b, p)
            body = prev.key[:cm] if prev else b''
            if prev is None or cm < 2 + len(prev.row):
                if cm < 2:
                    body += b[p:p + 2 - cm]
                    p += 2 - cm
                rl = body[0] << 8 | body[1]
                n = 2 + rl - len(body)
                need(n >= 0, 'DIFF: common prefix longer than row')
                body += b[p:p + n]
                p += n
                body += bytes([len(fam)]) + fam
            n = kl - 9 - len(body)
            need(n >= 0, 'DIFF: key length too small')
            body += b[p:p + n]
            p += n
            tn = ((fl >> 4) & 7) + 1
            t = int.from_bytes(b[p:p + tn], 'little')
            p += tn
            if fl & 128:
                t = -t
            if fl & 8:
                t = prev.ts - t
            if fl & 4:
                ty = prev.key[-1:]
            else:
                ty = b[p:p + 1]
                p += 1
            key = body + struct.pack('>Q', t & 0xFFFFFFFFFFFFFFFF) + ty
            val = b[p:p + vl]
            p += vl
        else:
            raise Bad('encoding %s unknown' % enc)
        tg, m, p = trailing(b, p, tags, mvcc, tdict)
        need(p <= len(b), 'encoded cell runs past end of block')
        c = mkcell(key, val, tg, m)
        cells.append(c)
        prev = c
        usz += 8 + len(key) + len(val) + (2 + len(tg) if tags else 0) + (vsize(m) if mvcc else 0)
    need(usz == plain, '%s: stored unencoded size %d, real %d' % (enc, plain, usz))
    return cells


def vsize(v):
    if -112 <= v <= 127:
        return 1
    if v < 0:
        v = ~v
    return 1 + (v.bit_length() + 7) // 8


def check_tags(t):
    p = 0
    while p < len(t):
        need(p + 2 <= len(t), 'tag list: short length')
        n = t[p] << 8 | t[p + 1]
        need(n >= 1 and p + 2 + n <= len(t), 'tag list: bad tag length %d' % n)
        p += 2 + n


# ---------------------------------------------------- what HBase would write
def min_mid(l, r):
    """shortest byte string s with l < s <= r; None when l == r (2.5/2.6 rule)"""
    n = min(len(l), len(r))
    d = 0
    while d < n and l[d] == r[d]:
        d += 1
    if d < n:
        return l[:d] + bytes([l[d] + 1])
    return l + b'\0' if len(l) < len(r) else None


def midpoint(l, r):
    if l is None:
        return r.key
    m = min_mid(l.row, r.row)
    if m is not None:
        return flat(m, b'', b'', LATEST, 255)
    m = min_mid(l.fam, r.fam)
    if m is not None:
        return flat(r.row, m, b'', LATEST, 255)
    m = min_mid(l.qual, r.qual)
    if m is not None:
        return flat(r.row, r.fam, m, LATEST, 255)
    return r.key


# ----------------------------------------------------------------- the checker
class Block:
    __slots__ = ('off', 'type', 'ondisk', 'usize', 'data', 'total')


class HFile:
    def __init__(self, path, opt):
        self.path = path
        self.opt = opt
        self.notes = []
        self.sum = {'file': path}
        with open(path, 'rb') as f:
            self.buf = f.read()

    def note(self, s):
        if s not in self.notes:
            self.notes.append(s)

    def run(self, sink=None):
        self.trailer()
        self.walk()
        self.fileinfo()
        self.index()
        self.cells(sink)
        self.blooms()
        self.final()
        if self.notes:
            self.sum['notes'] = self.notes
            if self.opt.strict:
                raise Bad('strict: ' + '; '.join(self.notes))

    # -- trailer
    def trailer(self):
        b = self.buf
        need(len(b) >= TRAILER, 'file of %d bytes is shorter than the trailer' % len(b))
        ver = struct.unpack_from('>I', b, len(b) - 4)[0]
        self.major, self.minor = ver & 0xFFFFFF, ver >> 24
        need(self.major == 3, 'major version %d' % self.major)
        need(self.minor <= 3, 'minor version %d' % self.minor)
        self.tr_off = len(b) - TRAILER
        t = b[self.tr_off:]
        need(t[:8] == b'TRABLK"$', 'trailer magic is %r' % t[:8])
        n, p = leb(t, 8)
        need(p + n <= TRAILER - 4, 'trailer message too long')
        m = pb(t[p:p + n])
        need(not any(t[p + n:-4]), 'trailer padding is not zero')
        g = lambda i: m[i][0] if i in m else None

        def s64(v):
            return None if v is None else v - (1 << 64) if v >> 63 else v
        self.t = {'fileInfoOffset': g(1), 'loadOnOpen': g(2), 'uncompressedDataIndexSize': g(3),
                  'totalUncompressedBytes': g(4), 'dataIndexCount': g(5), 'metaIndexCount': g(6), 'entryCount': g(7),
                  'numDataIndexLevels': g(8), 'firstDataBlockOffset': s64(g(9)), 'lastDataBlockOffset': s64(g(10)),
                  'comparator': g(11).decode() if g(11) is not None else None, 'codec': g(12)}
        need(13 not in m, 'encrypted file: not supported')
        for k, v in self.t.items():
            need(v is not None, 'trailer lacks ' + k)
        need(self.t['codec'] in CODECS, 'codec ordinal %d' % self.t['codec'])
        self.codec = CODECS[self.t['codec']]
        need(self.t['comparator'] in COMPARATORS | META_COMPARATORS, 'comparator %s' % self.t['comparator'])
        need(self.t['comparator'] not in META_COMPARATORS, 'hbase:meta file: not supported')
        self.sum.update(bytes=len(b), version='%d.%d' % (self.major, self.minor), codec=self.codec,
                        entries=self.t['entryCount'], comparator=self.t['comparator'],
                        indexLevels=self.t['numDataIndexLevels'])

    # -- every block, in file order
    def walk(self):
        b = self.buf
        p = 0
        self.blocks = []
        self.at = {}
        last = {}
        ck = {}
        st = {}
        prev_data_kind = set()
        while p < self.tr_off:
            need(p + HDR <= self.tr_off, 'stray bytes before the trailer at %d' % p)
            magic = b[p:p + 8]
            need(magic in MAGICS, 'bad block magic %r at %d' % (magic, p))
            k = MAGICS[magic]
            ods, us, prev, ct, bpc, odh = struct.unpack_from('>iiqBii', b, p + 8)
            w = '%s block at %d: ' % (k, p)
            need(odh >= HDR and us >= 0 and ods >= 0, w + 'negative size')
            need(p + HDR + ods <= self.tr_off, w + 'runs into the trailer')
            need(bpc > 0, w + 'bytesPerChecksum %d' % bpc)
            nch = -(-odh // bpc)
            need(ods + HDR == odh + 4 * nch, w + 'onDiskSize %d != data %d + %d checksums' % (ods, odh - HDR, nch))
            need(ct in (0, 1, 2), w + 'checksum type %d' % ct)
            for i in range(nch):
                ch = b[p + i * bpc:p + min((i + 1) * bpc, odh)]
                want = struct.unpack_from('>I', b, p + odh + 4 * i)[0]
                have = crc32c(ch) if ct == 2 else zlib.crc32(ch) if ct == 1 else 0
                need(have == want, w + 'checksum %d of %d is %08x, computed %08x' % (i, nch, want, have))
            ckn = ('NULL', 'CRC32', 'CRC32C')[ct]
            ck[ckn] = ck.get(ckn, 0) + nch
            need(prev == last.get(k, -1), w + 'previous-block offset %d, should be %d' % (prev, last.get(k, -1)))
            last[k] = p
            try:
                data = decompress(self.codec, b[p + HDR:p + odh], us, st)
            except Bad as e:
                raise Bad(w + str(e))
            except Exception as e:
                raise Bad(w + 'decompression: %s: %s' % (type(e).__name__, e))
            need(len(data) == us, w + 'decompressed to %d bytes, header says %d' % (len(data), us))
            x = Block()
            x.off, x.type, x.ondisk, x.usize, x.data, x.total = p, k, HDR + ods, us, data, HDR + ods
            self.blocks.append(x)
            self.at[p] = x
            if k in ('DATA', 'ENCODED_DATA'):
                prev_data_kind.add(k)
            p += HDR + ods
        need(p == self.tr_off, 'blocks do not end at the trailer')
        need(len(prev_data_kind) < 2, 'both encoded and plain data blocks')
        # section order
        rank = {'DATA': 0, 'ENCODED_DATA': 0, 'LEAF_INDEX': 0, 'BLOOM_CHUNK': 0, 'META': 1, 'INTERMEDIATE_INDEX': 2,
                'ROOT_INDEX': 3, 'FILE_INFO': 4, 'GENERAL_BLOOM_META': 5, 'DELETE_FAMILY_BLOOM_META': 5}
        r = 0
        for x in self.blocks:
            need(rank[x.type] >= r, '%s block at %d is out of section order' % (x.type, x.off))
            r = rank[x.type]
        loo = [x for x in self.blocks if x.off >= self.t['loadOnOpen']]
        need(loo and loo[0].off == self.t['loadOnOpen'], 'loadOnOpenDataOffset is no block boundary')
        need([x.type for x in loo[:3]] == ['ROOT_INDEX', 'ROOT_INDEX', 'FILE_INFO'],
             'load-on-open section is %s' % [x.type for x in loo])
        need(all(x.type != 'ROOT_INDEX' for x in self.blocks if x.off < self.t['loadOnOpen']), 'root index outside load-on-open')
        need(loo[2].off == self.t['fileInfoOffset'], 'fileInfoOffset %d, block is at %d' % (self.t['fileInfoOffset'], loo[2].off))
        rest = [x.type for x in loo[3:]]
        need(all(x.endswith('BLOOM_META') for x in rest) and len(set(rest)) == len(rest), 'after file info: %s' % rest)
        self.root, self.metaidx, self.fi = loo[0], loo[1], loo[2]
        self.gbm = next((x for x in loo[3:] if x.type == 'GENERAL_BLOOM_META'), None)
        self.dbm = next((x for x in loo[3:] if x.type == 'DELETE_FAMILY_BLOOM_META'), None)
        self.data = [x for x in self.blocks if x.type in ('DATA', 'ENCODED_DATA')]
        f = self.data[0].off if self.data else -1
        l = self.data[-1].off if self.data else -1
        need(self.t['firstDataBlockOffset'] == f, 'firstDataBlockOffset %d, is %d' % (self.t['firstDataBlockOffset'], f))
        need(self.t['lastDataBlockOffset'] == l, 'lastDataBlockOffset %d, is %d' % (self.t['lastDataBlockOffset'], l))
        cnt = {}
        for x in self.blocks:
            cnt[x.type] = cnt.get(x.type, 0) + 1
        self.sum['blocks'] = cnt
        self.sum['checksums'] = ck
        self.sum.update(st)
        if st.get('codec_chunk_plain_max', 0) > 262144:
            raise Bad('a compressed chunk holds %d plain bytes: over the 256 KiB buffer of the stock codecs' % st['codec_chunk_plain_max'])
        # totalUncompressedBytes: every block but the data index's root/intermediate ones, + trailer
        tot = sum(x.usize + HDR for x in self.blocks if x is not self.root and x.type != 'INTERMEDIATE_INDEX') + TRAILER
        if self.t['totalUncompressedBytes'] != tot:
            self.note('totalUncompressedBytes is %d, HBase would write %d' % (self.t['totalUncompressedBytes'], tot))
        dis = sum(x.usize for x in self.blocks if x.type in ('LEAF_INDEX', 'INTERMEDIATE_INDEX') or x is self.root)
        if self.data and self.t['uncompressedDataIndexSize'] != dis:
            self.note('uncompressedDataIndexSize is %d, HBase would write %d' % (self.t['uncompressedDataIndexSize'], dis))
        if len({x.usize for x in self.data[:-1]}) and len(self.data) > 1:
            self.sum['dataBlockPlainSize'] = [min(x.usize for x in self.data[:-1]), max(x.usize for x in self.data[:-1])]

    # -- file info
    def fileinfo(self):
        d = self.fi.data
        need(d[:4] == b'PBUF', 'file info magic is %r' % d[:4])
        n, p = leb(d, 4)
        need(p + n == len(d), 'file info message of %d does not fill the block of %d' % (n, len(d)))
        m = pb(d[p:p + n])
        need(set(m) <= {1}, 'unknown file info fields %s' % sorted(m))
        fi = {}
        lastk = None
        for e in m.get(1, []):
            kv = pb(e)
            need(1 in kv and 2 in kv, 'file info entry without first/second')
            k = kv[1][0]
            need(k not in fi, 'duplicate file info key %r' % k)
            if lastk is not None and k < lastk:
                self.note('file info keys are not in byte order')
            lastk = k
            fi[k] = kv[2][0]
        self.info = fi

        def num(k, n):
            v = fi.get(k)
            if v is None:
                return None
            need(len(v) == n, 'file info %s is %d bytes, wanted %d' % (k.decode(), len(v), n))
            return int.from_bytes(v, 'big', signed=n > 1)
        for k in (b'hfile.AVG_KEY_LEN', b'hfile.AVG_VALUE_LEN'):
            need(k in fi, 'file info lacks ' + k.decode())
        self.avgk, self.avgv = num(b'hfile.AVG_KEY_LEN', 4), num(b'hfile.AVG_VALUE_LEN', 4)
        self.has_tags = b'hfile.MAX_TAGS_LEN' in fi
        self.maxtags = num(b'hfile.MAX_TAGS_LEN', 4)
        self.tagcomp = bool(num(b'hfile.TAGS_COMPRESSED', 1))
        kvv = num(b'KEY_VALUE_VERSION', 4)
        self.has_mvcc = kvv == 1
        self.max_mvcc = num(b'MAX_MEMSTORE_TS_KEY', 8)
        if self.has_mvcc:
            need(self.max_mvcc is not None, 'KEY_VALUE_VERSION=1 without MAX_MEMSTORE_TS_KEY')
        num(b'hfile.CREATE_TIME_TS', 8)
        num(b'BULKLOAD_TIMESTAMP', 8)
        for k in (b'MAJOR_COMPACTION_KEY', b'EXCLUDE_FROM_MINOR_COMPACTION', b'HISTORICAL'):
            v = fi.get(k)
            need(v is None or len(v) == 1, 'file info %s is %r, wanted one byte' % (k.decode(), v))
            if v is not None and v not in (b'\xff', b'\0'):
                self.note('file info %s is %s, HBase would write ff or 00' % (k.decode(), v.hex()))
        num(b'MAX_SEQ_ID_KEY', 8)
        self.delfam = num(b'DELETE_FAMILY_COUNT', 8)
        self.earliest = num(b'EARLIEST_PUT_TS', 8)
        self.lenbig = num(b'hfile.LEN_OF_BIGGEST_CELL', 8)
        enc = fi.get(b'DATA_BLOCK_ENCODING', b'NONE').decode()
        need(enc in ENCODINGS.values(), 'DATA_BLOCK_ENCODING is %r' % enc)
        self.enc = enc
        if self.data:
            need((self.data[0].type == 'ENCODED_DATA') == (enc != 'NONE'), 'DATA_BLOCK_ENCODING %s but blocks are %s' % (enc, self.data[0].type))
        ie = fi.get(b'INDEX_BLOCK_ENCODING', b'NONE').decode()
        need(ie == 'NONE', 'INDEX_BLOCK_ENCODING %s: not supported' % ie)
        self.bt = fi.get(b'BLOOM_FILTER_TYPE', b'').decode() or None
        need(self.bt in (None, 'ROW', 'ROWCOL', 'ROWPREFIX_FIXED_LENGTH'), 'BLOOM_FILTER_TYPE is %r' % self.bt)
        need((self.bt is None) == (self.gbm is None), 'BLOOM_FILTER_TYPE %s but %s bloom meta block' % (self.bt, 'no' if self.gbm is None else 'a'))
        if self.bt == 'ROWPREFIX_FIXED_LENGTH':
            need(b'BLOOM_FILTER_PARAM' in fi, 'no BLOOM_FILTER_PARAM')
            v = fi[b'BLOOM_FILTER_PARAM']
            need(len(v) == 4, 'BLOOM_FILTER_PARAM is %r' % v)
            self.plen = int.from_bytes(v, 'big')
            need(self.plen > 0, 'prefix length %d' % self.plen)
        tr = fi.get(b'TIMERANGE')
        self.tr = None
        if tr is not None:
            if tr[:4] == b'PBUF':
                q = pb(tr[4:])
                f = lambda v: v - (1 << 64) if v >> 63 else v
                self.tr = (f(q[1][0]), f(q[2][0]))
            else:
                need(len(tr) == 16, 'TIMERANGE of %d bytes' % len(tr))
                self.tr = struct.unpack('>qq', tr)
        self.sum.update(encoding=enc, tags=self.has_tags, mvcc=self.has_mvcc, bloom=self.bt,
                        fileInfoKeys=[k.decode('latin1') for k in fi],
                        bulkload=b'BULKLOAD_TIMESTAMP' in fi)

    # -- block index
    def root_entries(self, d, n, p=0):
        out = []
        for i in range(n):
            need(p + 12 <= len(d), 'root index entry %d runs past end' % i)
            off, sz = struct.unpack_from('>qi', d, p)
            kl, p = vlong(d, p + 12)
            need(kl >= 0 and p + kl <= len(d), 'root index key %d runs past end' % i)
            out.append((d[p:p + kl], off, sz))
            p += kl
        return out, p

    def nonroot_entries(self, d, w):
        (n,) = struct.unpack_from('>i', d, 0)
        need(n > 0 and 4 + 4 * (n + 1) <= len(d), w + 'entry count %d' % n)
        so = struct.unpack_from('>%di' % (n + 1), d, 4)
        base = 4 + 4 * (n + 1)
        need(so[0] == 0 and base + so[n] == len(d), w + 'secondary index does not span the block')
        out = []
        for i in range(n):
            need(so[i + 1] >= so[i] + 12, w + 'secondary index not ascending')
            off, sz = struct.unpack_from('>qi', d, base + so[i])
            out.append((d[base + so[i] + 12:base + so[i + 1]], off, sz))
        return out

    def index(self):
        lv = self.t['numDataIndexLevels']
        need(lv >= 1, 'numDataIndexLevels %d' % lv)
        ents, p = self.root_entries(self.root.data, self.t['dataIndexCount'])
        rootn = len(ents)
        tail = self.root.data[p:]
        seen = set()
        leaves = None
        cur = ents
        for depth in range(1, lv):
            kind = 'LEAF_INDEX' if depth == lv - 1 else 'INTERMEDIATE_INDEX'
            nxt = []
            if kind == 'LEAF_INDEX':
                leaves = []
            for key, off, sz in cur:
                x = self.at.get(off)
                need(x is not None and x.type == kind, 'index entry points at %d, wanted %s block' % (off, kind))
                need(sz == x.ondisk, 'index entry for %s at %d says %d bytes on disk, block has %d' % (kind, off, sz, x.ondisk))
                need(off not in seen, 'index block %d reached twice' % off)
                seen.add(off)
                e = self.nonroot_entries(x.data, '%s at %d: ' % (kind, off))
                need(e[0][0] == key, 'index entry key differs from first key of child %s at %d' % (kind, off))
                if leaves is not None:
                    leaves.append((off, sz, len(e)))
                nxt += e
            cur = nxt
        for x in self.blocks:
            if x.type in ('LEAF_INDEX', 'INTERMEDIATE_INDEX'):
                need(x.off in seen, '%s block at %d is not reachable from the root' % (x.type, x.off))
        need([e[1] for e in cur] == [x.off for x in self.data], 'index entries (%d) do not list exactly the data blocks (%d) in order' % (len(cur), len(self.data)))
        for e, x in zip(cur, self.data):
            need(e[2] == x.ondisk, 'index says data block %d has %d bytes on disk, has %d' % (x.off, e[2], x.ondisk))
        self.dkeys = [e[0] for e in cur]
        for a, c in zip(self.dkeys, self.dkeys[1:]):
            need(key_sk(a) < key_sk(c), 'index keys not ascending')
        if lv > 1:
            need(len(tail) == 16, 'multi-level root index has %d trailing bytes, wanted 16 (mid-key)' % len(tail))
            mo, ms, me = struct.unpack('>qii', tail)
            lf = {o: (s, n) for o, s, n in leaves}
            need(mo in lf, 'mid-key leaf offset %d is no leaf block' % mo)
            need(lf[mo][0] == ms and 0 <= me < lf[mo][1], 'mid-key metadata (%d,%d,%d) does not fit' % (mo, ms, me))
            k = (len(self.data) - 1) // 2
            for o, s, n in leaves:
                if k < n:
                    break
                k -= n
            if (mo, ms, me) != (o, s, k):
                self.note('mid-key metadata %s, HBase would write %s' % ((mo, ms, me), (o, s, k)))
        else:
            need(not tail, 'single-level root index has %d stray bytes' % len(tail))
        self.sum['rootIndexEntries'] = rootn
        # meta index
        me, p = self.root_entries(self.metaidx.data, self.t['metaIndexCount'])
        need(p == len(self.metaidx.data), 'meta index has stray bytes')
        mb = [x for x in self.blocks if x.type == 'META']
        need([e[1] for e in me] == [x.off for x in mb], 'meta index does not list the meta blocks')
        need([e[0] for e in me] == sorted(e[0] for e in me), 'meta index not sorted')

    # -- all cells
    def cells(self, sink):
        prev = None
        n = ksum = vsum = 0
        self.rows = []          # distinct rows in order
        self.keys = {'ROW': [], 'ROWCOL': [], 'PFX': [], 'DF': []}
        rc = self.keys['ROWCOL'] if self.bt == 'ROWCOL' else None
        pf = self.keys['PFX'] if self.bt == 'ROWPREFIX_FIXED_LENGTH' else None
        df = self.keys['DF']
        fams = set()
        mintag = maxm = 0
        big = -1
        bigkey = None
        tmin, tmax = LATEST, -1
        ep = LATEST
        ndf = 0
        midok = 0
        last_sk = None
        types = {}
        for bi, x in enumerate(self.data):
            w = 'data block %d at %d: ' % (bi, x.off)
            try:
                if self.enc == 'NONE':
                    cs, _ = read_plain(x.data, 0, len(x.data), self.has_tags, self.has_mvcc)
                else:
                    cs = read_encoded(x.data, self.enc, self.has_tags, self.has_mvcc, self.tagcomp)
            except IndexError:
                raise Bad(w + 'cell runs past end of block')
            except Bad as e:
                raise Bad(w + str(e))
            need(cs, w + 'no cells')
            ik = key_sk(self.dkeys[bi])
            fsk = cs[0].sk()
            need(ik <= fsk, w + 'index key sorts after the first cell')
            need(last_sk is None or last_sk < ik, w + 'index key does not sort after the last cell of the block before')
            if self.dkeys[bi] == midpoint(prev, cs[0]):
                midok += 1
            for c in cs:
                sk = c.sk()
                if last_sk is not None:
                    if not (last_sk < sk or (last_sk == sk and c.mvcc <= prev.mvcc)):
                        raise Bad(w + 'cell order: %r after %r' % (show(c.key), show(prev.key)))
                    if last_sk == sk:
                        self.note('duplicate cell keys')
                if not c.row:
                    raise Bad(w + 'empty row')
                if c.type not in TYPES:
                    raise Bad(w + 'cell type %d in %r' % (c.type, show(c.key)))
                if c.ts < 0:
                    raise Bad(w + 'negative timestamp %d' % c.ts)
                if c.ts == LATEST:
                    self.note('cells with LATEST_TIMESTAMP')
                types[c.type] = types.get(c.type, 0) + 1
                fams.add(c.fam)
                if c.tags:
                    check_tags(c.tags)
                if len(c.tags) > mintag:
                    mintag = len(c.tags)
                if c.mvcc > maxm:
                    maxm = c.mvcc
                newrow = prev is None or c.row != prev.row
                if newrow:
                    self.rows.append(c.row)
                if rc is not None and (newrow or c.qual != prev.qual or c.fam != prev.fam):
                    rc.append(flat(c.row, b'', c.qual, LATEST, 255))
                if pf is not None and newrow:
                    q = c.row[:self.plen]
                    if not pf or pf[-1] != q:
                        pf.append(q)
                if c.type in (14, 10):
                    ndf += 1
                    if not df or df[-1] != c.row:
                        df.append(c.row)
                tmin = min(tmin, c.ts)
                tmax = max(tmax, c.ts)
                if c.type in (12, 14):
                    tmin = min(tmin, 0)
                if c.type == 4:
                    ep = min(ep, c.ts)
                sz = 4 + 8 + len(c.key) + len(c.val) + (2 + len(c.tags) if c.tags else 0)
                if sz > big:
                    big, bigkey = sz, c.key
                ksum += len(c.key)
                vsum += len(c.val)
                n += 1
                if sink and (not self.opt.max_cells or n <= self.opt.max_cells):
                    sink(c)
                prev = c
                last_sk = sk
        self.keys['ROW'] = self.rows
        self.lastcell = prev
        if midok != len(self.data):
            self.note('%d of %d index keys are not the ones HBase would choose' % (len(self.data) - midok, len(self.data)))
        need(n == self.t['entryCount'], 'entryCount %d, file has %d cells' % (self.t['entryCount'], n))
        need(len(fams) <= 1, 'several families: %r' % sorted(fams))
        if n:
            need(self.info.get(b'hfile.LASTKEY') == prev.key, 'hfile.LASTKEY is not the key of the last cell')
            need(self.avgk == ksum // n, 'AVG_KEY_LEN %d, is %d' % (self.avgk, ksum // n))
            need(self.avgv == vsum // n, 'AVG_VALUE_LEN %d, is %d' % (self.avgv, vsum // n))
        if self.has_tags:
            need(self.maxtags == mintag, 'MAX_TAGS_LEN %s, is %d' % (self.maxtags, mintag))
        if self.has_mvcc:
            need(maxm <= self.max_mvcc, 'MAX_MEMSTORE_TS_KEY %d, a cell has %d' % (self.max_mvcc, maxm))
            if not self.max_mvcc:
                need(maxm == 0, 'MAX_MEMSTORE_TS_KEY 0 but a cell has mvcc')
        if self.lenbig is not None and n:
            kb = self.info.get(b'hfile.KEY_OF_BIGGEST_CELL')
            need(kb is not None, 'LEN_OF_BIGGEST_CELL without KEY_OF_BIGGEST_CELL')
            parse_key(kb)
            if (self.lenbig, kb) != (big, bigkey):
                self.note('biggest cell (%d), HBase would write (%d)' % (self.lenbig, big))
        if self.tr and n:
            need(self.tr[0] <= tmin and tmax <= self.tr[1], 'TIMERANGE %s does not cover %s' % (self.tr, (tmin, tmax)))
            if self.tr != (tmin, tmax):
                self.note('TIMERANGE %s, HBase would write %s' % (self.tr, (tmin, tmax)))
        if self.earliest is not None and n:
            if self.earliest != ep:
                self.note('EARLIEST_PUT_TS %d, HBase would write %d' % (self.earliest, ep))
            need(self.earliest <= ep, 'EARLIEST_PUT_TS %d, a put has %d' % (self.earliest, ep))
        if self.delfam is not None:
            need(self.delfam == ndf, 'DELETE_FAMILY_COUNT %d, is %d' % (self.delfam, ndf))
        self.sum.update(rows=len(self.rows), family=sorted(fams)[0].decode('latin1') if fams else None,
                        types={TYPES[t]: v for t, v in sorted(types.items())}, maxMvcc=maxm, maxTags=mintag,
                        avgKey=self.avgk, avgValue=self.avgv, timerange=self.tr,
                        firstRow=esc(self.rows[0]) if self.rows else None, lastRow=esc(self.rows[-1]) if self.rows else None)

    # -- blooms
    def bloom(self, x, keys, general):
        d = x.data
        w = x.type + ': '
        need(len(d) >= 40, w + 'too short')
        ver, tot, k, hk, nk, mk, nc = struct.unpack_from('>iqiiqqi', d, 0)
        need(ver == 3, w + 'version %d' % ver)
        need(hk in HASHFN, w + 'hash type %d' % hk)
        need(0 < k < 256, w + 'hash count %d' % k)
        cl, p = vlong(d, 40)
        cmp_ = d[p:p + cl].decode()
        p += cl
        rowcol = general and self.bt == 'ROWCOL'
        if rowcol:
            need(cmp_ in COMPARATORS, w + 'comparator %r' % cmp_)
        else:
            need(cmp_ == '', w + 'comparator %r, wanted none' % cmp_)
        ents, p = self.root_entries(d, nc, p)
        need(p == len(d), w + '%d stray bytes' % (len(d) - p))
        need(nk == len(keys), w + 'key count %d, file has %d' % (nk, len(keys)))
        need(nc > 0, w + 'no chunks')
        if mk < nk:
            self.note(w + 'maxKeys %d < keys %d' % (mk, nk))
        fn = HASHFN[hk]
        ordk = (lambda b: key_sk(b)) if rowcol else (lambda b: b)
        firsts = [ordk(e[0]) for e in ents]
        need(all(a < b for a, b in zip(firsts, firsts[1:])), w + 'chunk keys not ascending')
        chunks = []
        for key, off, sz in ents:
            c = self.at.get(off)
            need(c is not None and c.type == 'BLOOM_CHUNK', w + 'chunk entry points at %d' % off)
            need(c.ondisk == sz, w + 'chunk at %d: on-disk size %d, is %d' % (off, sz, c.ondisk))
            need(c.usize > 0, w + 'empty chunk')
            self.bc.discard(off)
            chunks.append(c.data)
        need(sum(map(len, chunks)) == tot, w + 'total byte size %d, chunks have %d' % (tot, sum(map(len, chunks))))
        need(keys and firsts[0] == ordk(keys[0]), w + 'first chunk key is not the first key')
        mine = [bytearray(len(c)) for c in chunks]
        step = 1
        if self.opt.sample_bloom and len(keys) > self.opt.sample_bloom:
            step = len(keys) // self.opt.sample_bloom
        percount = [0] * nc
        for i in range(0, len(keys), step):
            key = keys[i]
            j = bisect.bisect_right(firsts, ordk(key)) - 1
            need(j >= 0, w + 'key before the first chunk')
            percount[j] += 1
            ch = chunks[j]
            me = mine[j]
            for bit in bloom_bits(fn, key, k, len(ch) * 8):
                if not ch[bit >> 3] & (1 << (bit & 7)):
                    raise Bad(w + 'FALSE NEGATIVE for %s (chunk %d)' % (esc(key), j))
                me[bit >> 3] |= 1 << (bit & 7)
        if step == 1:
            for j in range(nc):
                if bytes(mine[j]) != chunks[j]:
                    self.note(w + 'chunk %d has bits no key accounts for' % j)
        fill = sum(bin(int.from_bytes(c, 'big')).count('1') for c in chunks) / (8.0 * tot)
        return {'keys': nk, 'maxKeys': mk, 'bytes': tot, 'hashes': k, 'hash': HASHES[hk], 'chunks': nc,
                'chunkBytes': sorted({len(c) for c in chunks}), 'fill': round(fill, 4),
                'estFalsePositive': round(fill ** k, 6), 'checked': len(range(0, len(keys), step)),
                'bitExact': step == 1 and all(bytes(a) == b for a, b in zip(mine, chunks))}

    def blooms(self):
        self.bc = {x.off for x in self.blocks if x.type == 'BLOOM_CHUNK'}
        if self.gbm:
            ks = self.keys['ROW' if self.bt == 'ROW' else 'ROWCOL' if self.bt == 'ROWCOL' else 'PFX']
            self.sum['generalBloom'] = self.bloom(self.gbm, ks, True)
            need(self.info.get(b'LAST_BLOOM_KEY') == ks[-1], 'LAST_BLOOM_KEY is not the last bloom key')
        if self.dbm:
            self.sum['deleteFamilyBloom'] = self.bloom(self.dbm, self.keys['DF'], False)
        elif self.keys['DF'] and self.bt != 'ROWCOL':    # HBase omits it beside a ROWCOL bloom
            self.note('delete-family markers but no delete-family bloom')
        need(not self.bc, 'bloom chunks at %s are not referenced' % sorted(self.bc))

    def final(self):
        pass


def esc(b):
    return ''.join(chr(c) if 32 <= c < 127 and c != 92 else '\\x%02X' % c for c in b)


def show(k):
    r, f, q, t, y = parse_key(k)
    return '%s/%s:%s/%d/%s' % (esc(r), esc(f), esc(q), t, TYPES.get(y, y))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('files', nargs='+')
    ap.add_argument('--dump', action='store_true', help='print cells as TSV: row family qualifier ts type value [tags-hex]')
    ap.add_argument('--hex', action='store_true', help='with --dump: row, qualifier, value in hex')
    ap.add_argument('--tags', action='store_true', help='with --dump: a 7th column with the raw tag bytes in hex')
    ap.add_argument('--max-cells', type=int, default=0, help='with --dump: stop printing after N cells')
    ap.add_argument('--sample-bloom', type=int, default=0, help='test only about N bloom keys')
    ap.add_argument('--strict', action='store_true')
    ap.add_argument('--quiet', action='store_true', help='one line per file')
    o = ap.parse_args()
    bad = 0
    e = (lambda b: b.hex()) if o.hex else esc

    def sink(c):
        t = [e(c.row), esc(c.fam), e(c.qual), str(c.ts), TYPES[c.type], e(c.val)]
        if o.tags:
            t.append(c.tags.hex())
        sys.stdout.write('\t'.join(t) + '\n')
    for f in o.files:
        h = None
        s = {'file': f}
        try:
            h = HFile(f, o)
            s = h.sum
            h.run(sink if o.dump else None)
            h.sum['ok'] = True
        except Bad as x:
            bad = 1
            s.update(ok=False, error=str(x))
        except (OSError, struct.error, IndexError, UnicodeDecodeError) as x:
            bad = 1
            s.update(ok=False, error='%s: %s' % (type(x).__name__, x))
        out = sys.stderr if o.dump else sys.stdout
        if o.quiet:
            print('%s %s %s' % ('ok ' if s['ok'] else 'BAD', f, s.get('error') or '; '.join(s.get('notes', []))), file=out)
        else:
            print(json.dumps(s, indent=1), file=out)
    return bad


if __name__ == '__main__':
    try:
        sys.exit(main())
    except BrokenPipeError:
        sys.exit(0)
