#include "textflag.h"

// func launcher() (code unsafe.Pointer)
TEXT ·launcher(SB), NOSPLIT, $0-8
	MOVD	$launch<>(SB), R0
	MOVD	R0, code+0(FP)
	RET

// launch is the launcher. It has no runtime, uses no memory but that of its order, and ends
// with the mark that image looks for. The layout of an order is that of encode.
TEXT launch<>(SB), NOSPLIT|NOFRAME, $0
	MOVZ	$(0x6000<<16), R19 // orderAddress
	ADD	$0x1000, R19
	MOVD	0(R19), R20         // the first call
	MOVD	8(R19), R21         // the end of the last one, which is execve
	MOVD	RSP, R9             // the system puts argc, argv and envp here
	MOVD	0(R9), R10
	ADD	$8, R9, R11
	ADD	R10<<3, R11, R12
	ADD	$8, R12
	MOVD	R11, -64(R21)
	MOVD	R12, -56(R21)

call:
	MOVD	0(R20), R8
	MOVD	8(R20), R0
	MOVD	16(R20), R1
	MOVD	24(R20), R2
	MOVD	32(R20), R3
	MOVD	40(R20), R4
	MOVD	48(R20), R5
	SVC
	CMN	$4095, R0
	BCS	failed
	MOVD	56(R20), R9 // where the result goes
	CBZ	R9, next
	MOVW	R0, 0(R9)

next:
	ADD	$80, R20
	B	call

failed:
	MOVD	72(R20), R2 // the length of the text; 0: the error does not matter
	CBZ	R2, next
	NEG	R0, R22
	MOVD	24(R19), R9 // the number of texts of errors
	CMP	R9, R22
	BLO	known
	MOVD	ZR, R22

known:
	MOVD	16(R19), R9
	ADD	R22<<4, R9, R22
	MOVD	$64, R8 // write
	MOVD	$2, R0
	MOVD	64(R20), R1
	SVC
	MOVD	$64, R8
	MOVD	$2, R0
	MOVD	0(R22), R1
	MOVD	8(R22), R2
	SVC
	MOVD	$94, R8 // exit_group
	MOVD	$1, R0
	SVC
	WORD	$0 // undefined
	WORD	$0x65646f63; WORD $0x646e655f // the mark
