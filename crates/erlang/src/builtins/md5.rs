//! MD5 (RFC 1321), with a state that programs can keep between calls.

/// The state: four words of digest, the number of bits so far, and the bytes of an incomplete block.
pub(super) struct Md5 {
    digest: [u32; 4],
    n_bits: u64,
    block: [u8; BLOCK],
}

const BLOCK: usize = 64;
/// The size in bytes of the state in BEAM's binary layout.
const STATE: usize = 16 + 8 + BLOCK;

impl Default for Md5 {
    fn default() -> Md5 {
        let digest = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
        Md5 { digest, n_bits: 0, block: [0; BLOCK] }
    }
}

impl Md5 {
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Md5> {
        if bytes.len() != STATE {
            return None;
        }
        let (digest, rest) = bytes.split_first_chunk::<16>()?;
        let (n_bits, block) = rest.split_first_chunk::<8>()?;
        Some(Md5 {
            digest: words(digest),
            n_bits: u64::from_le_bytes(*n_bits),
            block: block.try_into().ok()?,
        })
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut res: Vec<u8> = self.digest.iter().flat_map(|it| it.to_le_bytes()).collect();
        res.extend(self.n_bits.to_le_bytes());
        res.extend(self.block);
        res
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let n = self.n_pending();
            if let Some(place) = self.block.get_mut(n) {
                *place = *byte;
            }
            self.n_bits = self.n_bits.wrapping_add(8);
            if n == BLOCK - 1 {
                self.digest_block();
            }
        }
    }

    pub(super) fn digest(mut self) -> [u8; 16] {
        let n_bits = self.n_bits;
        // The padding: a one bit, zeros, and the length in the last eight bytes of a block.
        self.update(&[0x80]);
        while self.n_pending() != BLOCK - 8 {
            self.update(&[0]);
        }
        self.update(&n_bits.to_le_bytes());
        let mut res = [0; 16];
        for (place, byte) in res.iter_mut().zip(self.digest.iter().flat_map(|it| it.to_le_bytes()))
        {
            *place = byte;
        }
        res
    }

    fn n_pending(&self) -> usize {
        usize::try_from(self.n_bits / 8 % BLOCK as u64).unwrap_or(0)
    }

    fn digest_block(&mut self) {
        let block: [u32; 16] = words(&self.block);
        let [mut a, mut b, mut c, mut d] = self.digest;
        for (n, sine) in SINES.iter().enumerate() {
            let (mixed, word) = match n / 16 {
                0 => (b & c | !b & d, n),
                1 => (d & b | !d & c, 5 * n + 1),
                2 => (b ^ c ^ d, 3 * n + 5),
                _ => (c ^ (b | !d), 7 * n),
            };
            let word = block.get(word % 16).copied().unwrap_or(0);
            let turn = TURNS.get(n / 16).and_then(|it| it.get(n % 4)).copied().unwrap_or(0);
            let sum = a.wrapping_add(mixed).wrapping_add(*sine).wrapping_add(word);
            (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(turn)));
        }
        for (place, word) in self.digest.iter_mut().zip([a, b, c, d]) {
            *place = place.wrapping_add(word);
        }
    }
}

fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let mut res = [0; N];
    for (place, chunk) in res.iter_mut().zip(bytes.chunks_exact(4)) {
        *place = chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    res
}

const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// The first 32 bits after the binary point of |sin n|, for n from 1 to 64.
#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee,
    0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be,
    0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa,
    0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed,
    0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c,
    0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05,
    0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039,
    0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1,
    0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];
