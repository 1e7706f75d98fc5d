// Boxes are as wide as their text, so a layout must know how wide a text is without a browser. The
// widths are those of Open Sans in hundredths of the font size, with a margin for wider system
// fonts.

const REGULAR = [
  26, 26, 40, 65, 57, 83, 73, 22, 30, 30, 55, 57, 26, 32, 26, 37, 57, 57, 57, 57, 57, 57, 57, 57,
  57, 57, 26, 26, 57, 57, 57, 43, 90, 63, 65, 63, 73, 56, 52, 73, 74, 28, 27, 61, 52, 90, 75, 78,
  60, 78, 62, 55, 55, 73, 60, 92, 58, 56, 57, 33, 37, 33, 57, 44, 28, 56, 61, 48, 61, 56, 34, 54,
  61, 25, 25, 53, 25, 93, 61, 60, 61, 61, 41, 48, 36, 61, 50, 77, 52, 50, 47, 38, 55, 38, 57,
]
const FIRST = 32
const UNKNOWN = 75
const MONOSPACED = 61
const MARGIN = 1.06
const BOLD = 1.07

type Face = 'regular' | 'bold' | 'mono'

/** In pixels, never less than a browser needs with the fonts that the pictures ask for. */
export const textWidth = (text: string, size: number, face: Face = 'regular'): number => {
  const widths = [...text].map((letter) =>
    face === 'mono' ? MONOSPACED : (REGULAR[(letter.codePointAt(0) ?? 0) - FIRST] ?? UNKNOWN),
  )
  const sum = widths.reduce((total, width) => total + width, 0)
  return Math.ceil((sum / 100) * size * MARGIN * (face === 'bold' ? BOLD : 1))
}

/** Breaks at blanks so that no line has more letters than asked for, unless one word has. */
export const wrapText = (text: string, letters: number): readonly string[] => {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= letters)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
